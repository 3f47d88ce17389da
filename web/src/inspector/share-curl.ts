interface WireRequest {
  readonly url: string
  /** The body as it left. */
  readonly body: string
}

/** A request as a command. Keys are names of variables: none is part of what is given. */
export function curlCommand({ url, body }: WireRequest): string {
  const headers = ['content-type: application/json', ...keyHeaders(new URL(url).pathname)]
  return [
    `curl ${quoted(url)} \\`,
    ...headers.map((header) => `  -H ${header.includes('$') ? `"${header}"` : quoted(header)} \\`),
    `  --data-raw ${quoted(body)}`,
  ].join('\n')
}

/** How the API at this path is given a key. */
function keyHeaders(path: string): readonly string[] {
  if (path.startsWith('/api/')) return []
  if (path.endsWith('/messages')) return ['x-api-key: $API_KEY', 'anthropic-version: 2023-06-01']
  if (/:\w*generateContent$/i.test(path)) return ['x-goog-api-key: $API_KEY']
  return ['authorization: Bearer $API_KEY']
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
