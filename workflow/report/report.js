// The page is complete without this: it sorts and filters the ledger.
"use strict";
const form = document.getElementById("filters");
const body = document.querySelector("#ledger tbody");
const rows = [...body.rows];
const searched = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
const chosen = ["verdict", "role", "data", "printed", "figure"];

function fill(query) {
  for (const key of [...chosen, "text"]) form.elements[key].value = query.get(key) ?? "";
}

function filter() {
  const wanted = new FormData(form);
  const words = wanted.get("text").trim().toLowerCase();
  let count = 0;
  for (const row of rows) {
    const fits = chosen.every((key) => !wanted.get(key) || row.dataset[key].split(" ").includes(wanted.get(key)));
    row.hidden = !(fits && searched.get(row).includes(words));
    count += !row.hidden;
  }
  document.getElementById("shown").textContent = `${count} of ${rows.length} claims`;
}

// The filter is kept in the address, so that a link, a reload and the back button give the same claims.
function read() {
  fill(new URLSearchParams(location.search));
  filter();
}

function write(step, hash = "#ledger") {
  const query = String(new URLSearchParams([...new FormData(form)].filter(([, value]) => value)));
  try {
    history[step](null, "", `${location.pathname}${query && `?${query}`}${hash}`);
  } catch {
    // Some browsers keep the address of a page opened from disk as it is.
  }
  filter();
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
// A step back undoes a choice, not a letter.
form.addEventListener("input", (event) => write(event.target.name === "text" ? "replaceState" : "pushState"));
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(write, 0, "pushState"));
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="?"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  fill(new URLSearchParams(link.search));
  write("pushState");
  form.scrollIntoView();
});
addEventListener("popstate", read);
read();

// A claim that a link points at and the filter hides comes back with all others.
function show() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.hidden) {
    fill(new URLSearchParams());
    write("replaceState", location.hash);
    target.scrollIntoView();
  }
}
addEventListener("hashchange", show);
show();
