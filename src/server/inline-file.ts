import { defined } from '../platform.ts'
import { fileLibrary, inbox, type Runtime, type SubmittedTurn } from '../capability.ts'
import { imageSize } from '../context.ts'
import { toFailure, HttpFailure } from './failure.ts'

export interface InlineFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
  /** Pixels, for an image whose first bytes contain them. */
  readonly size?: { readonly width: number; readonly height: number }
}

/** Decodes a `data:` URL. Throws `HttpFailure` for any other address: Foreword fetches nothing for a caller. */
export function inlineFile(url: string, where: string, name?: string): InlineFile {
  const found = /^data:(?<type>[\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*(?<base64>;base64)?,/i.exec(url.slice(0, 500))
  if (!found) throw notInline(url, where)
  const { type = 'text/plain', base64 } = found.groups ?? {}
  const mediaType = type.toLowerCase()
  const text = url.slice(found[0].length)
  const bytes = base64 ? Buffer.from(text, 'base64') : Buffer.from(decodeText(text, where), 'utf8')
  if (bytes.byteLength === 0) throw new HttpFailure('invalid-input', `${where}: the data: URL is empty.`)
  const size = mediaType.startsWith('image/') ? imageSize(bytes, mediaType) : undefined
  return { name: name || `file.${fileExtension(mediaType)}`, mediaType, bytes, ...defined({ size }) }
}

function decodeText(text: string, where: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new HttpFailure('invalid-input', `${where}: the data: URL is not percent-encoded correctly.`)
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = { jpeg: 'jpg', plain: 'txt', markdown: 'md', 'svg+xml': 'svg' }

function fileExtension(mediaType: string): string {
  const subtype = mediaType.split('/')[1] ?? 'bin'
  return EXTENSIONS[subtype] ?? subtype
}

function notInline(url: string, where: string): HttpFailure {
  const kind = /^[a-z][\w+.-]*:/i.exec(url)?.[0] ?? ''
  const what = kind === '' ? 'is not a URL' : `begins with ${kind}, and addresses are not fetched`
  return new HttpFailure(
    'invalid-input',
    `${where}: the file ${what}. Send it in the request itself, as data:image/png;base64,….`,
    { parameter: where },
  )
}

/** Submits input with files, stored as uploads and removed where it is refused or a repeat. Throws `HttpFailure` where they cannot be. */
export async function submitWithFiles<Answer extends Pick<SubmittedTurn, 'repeated'>>(
  runtime: Pick<Runtime, 'capability'>,
  files: readonly InlineFile[],
  submit: (attachments: readonly string[]) => Promise<Answer>,
): Promise<Answer> {
  const library = runtime.capability(fileLibrary)
  if (library === undefined) {
    if (files.length === 0) return submit([])
    throw new HttpFailure('invalid-input', 'Files cannot be attached: the capability `files` is not in use.')
  }
  const added: string[] = []
  const takeBack = () => Promise.allSettled(added.map((id) => library.remove(id)))
  try {
    for (const { name, bytes } of files) {
      const row = await library.add({ name, bytes: once(bytes), owner: inbox })
      added.push(row.id)
    }
    const answer = await submit(added)
    if (answer.repeated) await takeBack()
    return answer
  } catch (error) {
    await takeBack()
    throw tooLarge(error) ?? error
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function tooLarge(error: unknown): HttpFailure | undefined {
  const { facts, message } = toFailure(error)
  return facts['store'] === 'too-large' ? new HttpFailure('file-too-large', `${message}.`) : undefined
}
