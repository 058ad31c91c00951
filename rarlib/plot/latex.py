"""Text as LaTeX: characters that LaTeX reserves, and symbols that its input encoding does not know."""

import re

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

_FORMULA = re.compile(r"(?<!\\)(\$[^$]+\$)")


def latex(text: str) -> str:
    """Plain text as LaTeX, for pdflatex with UTF-8 input."""
    return "".join(_AS_LATEX.get(character, character) for character in text)


def latex_of_label(text: str) -> str:
    """A label of a figure as LaTeX: formulas between dollars stay, except for Matplotlib's own commands in them."""
    parts = _FORMULA.split(text)
    return "".join(_formula(part) if at % 2 else latex(part) for at, part in enumerate(parts))


def _formula(text: str) -> str:
    for symbol, code in _MATH.items():
        text = text.replace(symbol, f"{code} ")
    return text.replace(r"\mathdefault", "")
