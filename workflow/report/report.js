// The page is complete without this: it sorts and filters the ledger, and opens what a link or a printer asks for.
"use strict";
const form = document.getElementById("filters");
const body = document.querySelector("#ledger tbody");
const rows = [...body.rows];
const text = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

function filter() {
  const wanted = new FormData(form);
  const words = wanted.get("text").trim().toLowerCase();
  let count = 0;
  for (const row of rows) {
    const fits = ["paper", "verdict", "answer", "data"].every((key) => !wanted.get(key) || row.dataset[key] === wanted.get(key));
    row.hidden = !(fits && text.get(row).includes(words));
    count += !row.hidden;
  }
  document.getElementById("shown").textContent = `${count} of ${rows.length} claims`;
}

// Numbers before words, empty cells last, ties in the ledger's own order.
function compare(column, sign) {
  const key = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent.trim();
  const rank = (value) => (value === "" ? 2 : Number.isNaN(Number(value)) ? 1 : 0);
  return (one, other) => {
    const [a, b] = [key(one), key(other)];
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    const order = rank(a) === 0 ? a - b : a.localeCompare(b, "en", { numeric: true });
    return sign * order || rows.indexOf(one) - rows.indexOf(other);
  };
}

document.querySelectorAll("#ledger thead th").forEach((head, column, heads) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = head.textContent;
  head.replaceChildren(button);
  button.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...[...rows].sort(compare(column, down ? -1 : 1)));
  });
});

form.hidden = false;
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(filter));
document.querySelectorAll(".counts button").forEach((button) =>
  button.addEventListener("click", () => {
    form.reset();
    form.elements.paper.value = button.dataset.paper === "all" ? "" : button.dataset.paper;
    form.elements.verdict.value = button.dataset.verdict ?? "";
    form.elements.answer.value = button.dataset.answer ?? "";
    setTimeout(filter);
    form.scrollIntoView();
  }),
);
filter();

// A table that a link points at opens itself.
function open() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", open);
open();

// On a small screen the contents would push the claims away.
if (matchMedia("(max-width: 72rem)").matches) document.getElementById("contents").open = false;
