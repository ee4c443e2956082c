// Before the first paint, or a page chosen dark would flash light. Not a module, so that it waits.
{
  const chosen = localStorage.getItem("hippocampus.theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
}
