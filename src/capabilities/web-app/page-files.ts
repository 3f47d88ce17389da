import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import { RuntimeError } from '../../capability.ts'
import { once } from '../../platform.ts'
import { securityHeaders } from '../../server.ts'

const gzip = promisify(gzipWithCallback)

/** Where the build of `web/` writes, beside `src` in a checkout and beside `dist` in the package. */
const folder = join(import.meta.dirname, '../../../web/dist')

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** The page loads its own files, talks to its own gateway, and shows images that it was given: nothing else, from nowhere else. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export async function openPageFiles() {
  const built = new Set(await builtFiles())
  const names = [...built].filter((name) => !name.endsWith('.br'))
  const files = new Map(names.map((name) => [name, openFile(name, built.has(`${name}.br`))]))
  return {
    /** The text of the one file whose name begins like this and is a script. Rejects with `not-found` where there is none. */
    async script(start: string): Promise<string> {
      const file = files.get(names.find((name) => name.startsWith(start) && name.endsWith('.js')) ?? '')
      if (file === undefined) throw notFound(start)
      return (await file.plain()).toString()
    },
    /** Rejects with `not-found` for a name that is none of them. */
    async answer(name: string, request: Request): Promise<Response> {
      const file = files.get(name)
      if (file === undefined) throw notFound(name)
      const accepted = request.headers.get('accept-encoding') ?? ''
      const coding = codings.find((each) => accepted.includes(each) && file[each])
      return new Response(await (coding ? file[coding]!() : file.plain()), {
        headers: { ...file.headers, vary: 'accept-encoding', ...(coding && { 'content-encoding': coding }) },
      })
    },
  }
}

async function builtFiles(): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  } catch {
    return []
  }
}

/** How a file can leave, the smallest first. */
const codings = ['br', 'gzip'] as const

/** `hasSmall`: the build has compressed the file already, with Brotli. */
function openFile(name: string, hasSmall: boolean) {
  const plain = once(() => readFile(join(folder, name)))
  const isDocument = name.endsWith('.html')
  return {
    plain,
    br: hasSmall ? once(() => readFile(join(folder, `${name}.br`))) : undefined,
    gzip: once(async () => gzip(await plain())),
    headers: {
      ...securityHeaders,
      'content-type': types[extname(name)] ?? 'application/octet-stream',
      'content-security-policy': policy,
      // The name of an asset contains the digest of its content.
      'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      // A link in an answer must not be looked up before somebody follows it: its name could carry words of the conversation.
      'x-dns-prefetch-control': 'off',
      // The worker of an installed page answers for all of its addresses.
      ...(name === 'app/worker.js' ? { 'service-worker-allowed': '/' } : {}),
      ...(isDocument ? { 'permissions-policy': 'camera=(), geolocation=(), microphone=()' } : {}),
    },
  }
}

function notFound(name: string): RuntimeError {
  return name === 'index.html'
    ? new RuntimeError('not-found', 'The page is not built. Run `npm start`, or `npm run build:web`, in the checkout.')
    : new RuntimeError('not-found', `The page has no file ${name}. Load the page again.`, { file: name })
}
