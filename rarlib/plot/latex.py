"""Text as LaTeX: characters that LaTeX reserves, and symbols that its input encoding does not know."""

_RESERVED = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "[": "{[}", "]": "{]}",
}  # fmt: skip

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau",
    "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda",
    "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "Ω": "Omega",
}  # fmt: skip

_SYMBOLS = {
    "×": "times", "±": "pm", "≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx", "∞": "infty", "→": "rightarrow",
    "←": "leftarrow", "↑": "uparrow", "↓": "downarrow", "·": "cdot", "∈": "in", "∑": "sum", "√": "surd",
    "∅": "emptyset", "▲": "blacktriangle", "▼": "blacktriangledown", "■": "blacksquare", "★": "bigstar",
    "✓": "checkmark", "µ": "mu",
}  # fmt: skip

_PLAIN = {
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "’": "'",
    "‘": "`",
    "“": "``",
    "”": "''",
    "\xa0": "~",
    "\u202f": r"\,",
}
_RAISED = {"⁰¹²³⁴⁵⁶⁷⁸⁹"[d]: f"^{d}" for d in range(10)} | {"⁻": "^-"} | {"₀₁₂₃₄₅₆₇₈₉"[d]: f"_{d}" for d in range(10)}
_MATH = {symbol: f"\\{name}" for symbol, name in (_GREEK | _SYMBOLS).items()} | _RAISED | {"−": "-"}
_AS_LATEX = _RESERVED | _PLAIN | {symbol: rf"\ensuremath{{{code}}}" for symbol, code in _MATH.items()}


def latex(text: str) -> str:
    """Plain text as LaTeX, for pdflatex with UTF-8 input."""
    return "".join(_AS_LATEX.get(character, character) for character in text)
