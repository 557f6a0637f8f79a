// Searching for functions: a regular expression, or a text where it is not a valid one. Small
// letters match large ones, too.
export function matcher(query: string): ((name: string) => boolean) | undefined {
  if (!query) return undefined;
  let expression: RegExp;
  try {
    expression = new RegExp(query, query === query.toLowerCase() ? "i" : "");
  } catch {
    const text = query.toLowerCase();
    return (name) => name.toLowerCase().includes(text);
  }
  return (name) => expression.test(name);
}

// Which of the names match; nothing if nothing is searched for.
export function matching(names: string[], query: string): Uint8Array | undefined {
  const matches = matcher(query);
  return matches && Uint8Array.from(names, (name) => (matches(name) ? 1 : 0));
}
