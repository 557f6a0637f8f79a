// Searching for functions: by a regular expression, or by a text if it is not a valid one. A search
// in lower case ignores case.
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

// Which of the names match; undefined without a search.
export function matching(names: string[], query: string): Uint8Array | undefined {
  const matches = matcher(query);
  return matches && Uint8Array.from(names, (name) => (matches(name) ? 1 : 0));
}
