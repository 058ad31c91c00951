// A table that a link points at opens itself; on a small screen the contents would push the figures away.
function open() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", open);
open();
if (matchMedia("(max-width: 72rem)").matches) document.getElementById("contents").open = false;
