import { type AddedFile, inbox, type Runtime, RuntimeError } from '../../../runtime.ts'
import { type FileOwner } from '../../../session.ts'
import type { Failure } from '../../../capability.ts'
import { failureOf, HttpFailure, noSuchSession } from '../../../server.ts'
import { readForm } from './form.ts'
import { serialQueue } from '../../../platform.ts'

/** What became of the files of one form. */
export interface Uploaded {
  readonly files: readonly AddedFile[]
  readonly refused: readonly RefusedFile[]
}

/** A file that was not taken; the others of its form were. */
export interface RefusedFile {
  readonly name: string
  readonly failure: Failure
}

/** Fields that say what the files belong to. */
const owners = ['session', 'project', 'agent'] as const

/** Where files are to go: at most one of them. */
export type Belonging = { readonly [type in (typeof owners)[number]]?: string | undefined }

/**
 * Takes in the files of a form, each as it comes. `belonging` and the fields of the form that stand before its files say
 * what they belong to; where neither does, they wait in the inbox for the message that they are attached to. A form that
 * breaks off leaves nothing behind.
 */
export async function upload(runtime: Runtime, request: Request, belonging: Belonging): Promise<Uploaded> {
  const given: Record<string, string | undefined> = { ...belonging }
  const files: (AddedFile | undefined)[] = []
  const refused: RefusedFile[] = []
  let owner: Promise<FileOwner> | undefined
  let count = 0
  /** One after another, so that they stand in the order of the form: documents of a project are numbered by it. */
  const queue = serialQueue()
  const take = async (place: number, name: string, bytes: AsyncIterable<Uint8Array>, to: FileOwner) => {
    try {
      files[place] = await runtime.library.add({ name, bytes, owner: to })
    } catch (error) {
      refused.push({ name, failure: failureOfFile(name, error) })
    }
  }
  try {
    await readForm(request, {
      field(name, value) {
        if (!owners.some((type) => type === name)) throw unknownField(name)
        if (owner) throw tooLate(name)
        given[name] = value
      },
      async file(name, bytes) {
        const place = count++
        owner ??= ownerOf(runtime, given)
        const to = owner
        await queue.add(async () => take(place, name, bytes, await to))
      },
    })
  } catch (error) {
    for (const row of files) if (row && !row.repeated) await runtime.library.remove(row.id)
    throw error
  }
  if (count === 0) throw new HttpFailure(400, 'invalid-input', 'The form has no file. Add a part with a file name.')
  return { files: files.filter((row) => row !== undefined), refused }
}

/** What a session, a project or an agent owns; rejects where there is none of that id. */
async function ownerOf(runtime: Runtime, given: Belonging): Promise<FileOwner> {
  const named = owners.flatMap((type) => (given[type] ? [{ type, id: given[type] }] : []))
  const [owner, other] = named
  if (!owner) return inbox
  if (other) {
    throw new HttpFailure(400, 'invalid-input', `A file belongs to one thing: name ${owner.type} or ${other.type}.`)
  }
  if (owner.type === 'project') await runtime.projects.get(owner.id)
  else if (owner.type === 'agent') await runtime.agents.get(owner.id)
  else if ((await runtime.store.session(owner.id)) === undefined) throw noSuchSession(owner.id)
  return owner
}

/** A file that is too large, or has no name, is refused by itself; everything else concerns the whole form. */
function failureOfFile(name: string, error: unknown): Failure {
  if (!(error instanceof RuntimeError)) throw error
  const { facts, message } = error
  if (facts['store'] === 'too-large') {
    return new HttpFailure(413, 'file-too-large', `The file ${name} was not taken: ${message}.`, { file: name }).failure
  }
  if (error.code !== 'invalid-input') throw error
  return failureOf(error)
}

function unknownField(name: string): HttpFailure {
  const known = owners.join(', ')
  return new HttpFailure(
    400,
    'invalid-input',
    `A form with files has no field ${JSON.stringify(name)}; it has ${known}.`,
  )
}

function tooLate(name: string): HttpFailure {
  const message = `The field ${name} has to stand before the files: nothing was kept. Or say it in the address: ?${name}=…`
  return new HttpFailure(400, 'invalid-input', message)
}
