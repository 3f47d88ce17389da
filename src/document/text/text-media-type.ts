const byExtension: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  mdx: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  tab: 'text/tab-separated-values',
  json: 'application/json',
  jsonl: 'application/jsonl',
  ndjson: 'application/jsonl',
  ipynb: 'application/json',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  eml: 'message/rfc822',
  tex: 'text/x-tex',
}

const pages = new Set(['html', 'htm', 'xhtml', 'shtml'])

/** Extensions that tell nothing about the text in the file, or that its bytes have disproved. */
const unspecific = new Set([
  '',
  'txt',
  'text',
  'pdf',
  'doc',
  'docx',
  'xls',
  'xlsx',
  'png',
  'jpg',
  'jpeg',
  'gif',
  'webp',
])

const startOfPage = /^(?:\ufeff|\s|<\?xml[^>]*\?>|<!--[^]*?-->)*<(?:!doctype\s+html|html)\b/i

const delimitedTypes: readonly string[] = ['text/csv', 'text/tab-separated-values']

/** Which kind of plain text the bytes are. `head` is how they begin. */
export function textMediaType(
  head: Uint8Array,
  name: string,
): { type: 'html' | 'delimited' | 'text'; mediaType: string } {
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  // Without the NULs, UTF-16 reads like Latin-1, which is enough to see how a page begins.
  const start = Buffer.from(head).toString('latin1').replaceAll('\0', '')
  const isPage = startOfPage.test(start.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, ''))
  if (pages.has(extension) || (isPage && unspecific.has(extension))) return { type: 'html', mediaType: 'text/html' }
  const mediaType = byExtension[extension] ?? 'text/plain'
  return { type: delimitedTypes.includes(mediaType) ? 'delimited' : 'text', mediaType }
}
