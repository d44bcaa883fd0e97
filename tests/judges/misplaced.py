"""Labels of a picture that stand where they cannot be read, for a browser to find."""

#: Pairs of labels that cover each other, and labels that leave their box, as a list of texts.
MISPLACED = """
const labels = [...document.querySelectorAll('svg text')].map((node) => ({
  text: node.textContent,
  at: node.getBoundingClientRect(),
  box: (node.closest('g.box')?.querySelector('.face')
    ?? node.closest('g.box')?.querySelector('rect:last-of-type'))?.getBoundingClientRect(),
}));
const found = [];
labels.forEach(({text, at, box}, row) => {
  if (box && (at.left < box.left + 2 || at.right > box.right - 2
      || at.top < box.top || at.bottom > box.bottom)) found.push(text);
  for (const {text: second, at: other} of labels.slice(row + 1))
    if (at.left < other.right && other.left < at.right
        && at.top < other.bottom && other.top < at.bottom) found.push(text + ' over ' + second);
});
return [labels.length, found];
"""
