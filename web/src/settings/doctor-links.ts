/** The page of the settings where one does something about a finding, by the name of its check where that is another. */
const pages: Readonly<Record<string, string>> = {
  model: 'models',
  policy: 'tools',
  shell: 'tools',
  mcp: 'mcp-servers',
  'mcp-client': 'mcp-servers',
  store: 'backup',
  contents: 'backup',
}

export function doctorPage<Page extends { readonly id: string }>(
  check: string,
  all: readonly Page[],
): Page | undefined {
  return all.find(({ id }) => id === (pages[check] ?? check))
}
