/** The page of the settings where one does something about a finding, by the name of its check. */
const pages: Readonly<Record<string, string>> = {
  model: 'models',
  policy: 'tools',
  tools: 'tools',
  shell: 'tools',
  skills: 'skills',
  subjects: 'subjects',
  mcp: 'mcp-servers',
  'mcp-client': 'mcp-servers',
  token: 'token',
  store: 'backup',
  contents: 'backup',
  audit: 'audit',
}

export function doctorPage<Page extends { readonly id: string }>(
  check: string,
  all: readonly Page[],
): Page | undefined {
  return all.find(({ id }) => id === pages[check])
}
