import type { ContentBlock } from '@agentclientprotocol/sdk'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiPath, CommandFailure, readFailure } from '../../cli.ts'
import { errorMessage } from '../../platform.ts'
import type { FileRow } from '../../session.ts'
import type { GatewayLink } from './gateway-link.ts'

interface PromptFile {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/**
 * Images, resources and linked files become files of the message. Throws a `CommandFailure` for audio and unreadable
 * files.
 */
export async function readPrompt(blocks: readonly ContentBlock[]) {
  const files: PromptFile[] = []
  const texts: string[] = []
  for (const block of blocks) {
    const part = await readBlock(block, files.length + 1)
    if (part.file) files.push(part.file)
    texts.push(part.text)
  }
  return { text: texts.join('').trim(), files }
}

interface ReadBlock {
  readonly text: string
  readonly file?: PromptFile
}

async function readBlock(block: ContentBlock, number: number): Promise<ReadBlock> {
  switch (block.type) {
    case 'text':
      return { text: block.text }
    case 'image':
      return attached({
        name: nameOf(block.uri) ?? `image-${number}.${imageExtension(block.mimeType)}`,
        bytes: new Uint8Array(Buffer.from(block.data, 'base64')),
      })
    case 'resource':
      return attached(embeddedFile(block.resource, number))
    case 'resource_link':
      return await linked(block.uri, block.name)
    case 'audio':
      throw new CommandFailure('invalid-input', 'A prompt cannot have audio.', { hint: 'Send its words as text.' })
  }
}

function attached(file: PromptFile): ReadBlock {
  return { text: `[${file.name}]`, file }
}

type Embedded = Extract<ContentBlock, { type: 'resource' }>['resource']

function embeddedFile(resource: Embedded, number: number): PromptFile {
  const isText = 'text' in resource
  const bytes = isText ? Buffer.from(resource.text, 'utf8') : Buffer.from(resource.blob, 'base64')
  return { name: nameOf(resource.uri) ?? `resource-${number}${isText ? '.txt' : ''}`, bytes: new Uint8Array(bytes) }
}

async function linked(uri: string, name: string): Promise<ReadBlock> {
  const link = { text: `[${name}](${uri})` }
  const path = filePath(uri)
  if (path === undefined) return link
  try {
    const found = await stat(path)
    if (found.isDirectory()) return { text: `[${name}](${path})` }
    if (!found.isFile()) throw new Error('it is a pipe or a device')
    if (found.size > MOST_BYTES) throw new Error(`it has ${found.size} bytes; at most ${MOST_BYTES} are read`)
    // Files of the system itself have no size: some are secrets of this process, and some have no end.
    return attached({ name: basename(path), bytes: new Uint8Array(found.size === 0 ? [] : await readFile(path)) })
  } catch (error) {
    throw new CommandFailure('invalid-input', `The file ${path} cannot be read: ${errorMessage(error)}.`, {
      hint: 'Nothing was sent. Take the file out of the message, or mention another.',
      cause: error,
    })
  }
}

/** Files of a message are held in memory while they are sent. */
const MOST_BYTES = 64 * 1024 * 1024

function filePath(uri: string): string | undefined {
  try {
    const url = new URL(uri)
    // An editor adds the lines that a person has marked.
    url.hash = ''
    url.search = ''
    return url.protocol === 'file:' ? fileURLToPath(url) : undefined
  } catch {
    return undefined
  }
}

function nameOf(uri: string | null | undefined): string | undefined {
  if (typeof uri !== 'string') return undefined
  try {
    const name = basename(decodeURIComponent(new URL(uri).pathname)).replaceAll(/\p{Cc}/gu, ' ')
    return name === '' ? undefined : name
  } catch {
    return undefined
  }
}

function imageExtension(mediaType: string): string {
  const [, kind = 'png'] = /^image\/([a-z0-9]+)/.exec(mediaType) ?? []
  return kind === 'jpeg' ? 'jpg' : kind
}

/** Throws where one is refused: nothing is sent without it. */
export async function uploadPromptFiles(
  link: GatewayLink,
  session: string,
  files: readonly PromptFile[],
): Promise<readonly string[]> {
  const ids: string[] = []
  for (const { name, bytes } of files) {
    const body = new FormData()
    body.append('file', new File([bytes], name))
    const response = await link.fetch(apiPath('/api/files?session=', session), { method: 'POST', body })
    if (!response.ok) throw await readFailure(response)
    const { files: stored } = (await response.json()) as { readonly files: readonly FileRow[] }
    const [row] = stored
    if (row === undefined) throw new CommandFailure('invalid-input', `The file ${name} was refused.`)
    ids.push(row.id)
  }
  return ids
}
