import { readFileSync } from 'node:fs'
import type { RequestOptions } from '../server/served.ts'

/** Sends what a `curl` line would send. Throws for an option that the pages have no use for. */
export async function sendCurl(
  words: readonly string[],
  request: (path: string, options: RequestOptions) => Promise<Response>,
): Promise<Response> {
  const headers: Record<string, string> = {}
  const form = new FormData()
  let method: string | undefined
  let body: string | undefined
  let address = ''
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!
    if (/^-(?:s|sN|OJ)$/.test(word)) continue
    if (!word.startsWith('-')) address = word
    else if (word === '-X') method = words[++at]
    else if (word === '-d') body = words[++at]
    else if (word === '-H') {
      const [, name, value] = /^([^:]+): (.*)$/.exec(words[++at]!)!
      headers[name!.toLowerCase()] = value!
    } else if (word === '-F') {
      const [field, path] = words[++at]!.split('=@') as [string, string]
      form.append(field, new Blob([readFileSync(path)]), path)
    } else throw new Error(`curl ${word} is not understood by test/guide/curl.ts`)
  }
  const { pathname, search } = new URL(address)
  const whole = await formOf(form)
  return request(`${pathname}${search}`, {
    ...(method === undefined ? {} : { method }),
    ...(body === undefined ? {} : { body }),
    ...whole,
    headers: { ...headers, ...whole?.headers },
  })
}

async function formOf(form: FormData): Promise<{ body: string; headers: Record<string, string> } | undefined> {
  if (form.keys().next().done) return undefined
  const encoded = new Response(form)
  return { body: await encoded.text(), headers: { 'content-type': encoded.headers.get('content-type')! } }
}
