import { type AddedFile, RuntimeError } from '../../../capability.ts'
import { type FileOwner } from '../../../session.ts'
import type { Failure } from '../../../capability.ts'
import { failureOf, HttpFailure } from '../../../server.ts'
import { type Belonging, type FileOwners, ownerAmong, ownerTypes } from './file-owners.ts'
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

/**
 * Takes in the files of a form, each as it comes. `belonging` and the fields of the form that stand before its files say
 * what they belong to; where neither does, they wait in the inbox for the message that they are attached to. A form that
 * breaks off leaves nothing behind.
 */
export async function upload(self: FileOwners, request: Request, belonging: Belonging): Promise<Uploaded> {
  const types = ownerTypes(self)
  const given: Record<string, string | undefined> = { ...belonging }
  const files: (AddedFile | undefined)[] = []
  const refused: RefusedFile[] = []
  let owner: Promise<FileOwner> | undefined
  let count = 0
  /** One after another, so that they stand in the order of the form: documents of a project are numbered by it. */
  const queue = serialQueue()
  const take = async (place: number, name: string, bytes: AsyncIterable<Uint8Array>, to: FileOwner) => {
    try {
      files[place] = await self.service.add({ name, bytes, owner: to })
    } catch (error) {
      refused.push({ name, failure: failureOfFile(name, error) })
    }
  }
  try {
    await readForm(request, {
      field(name, value) {
        if (!types.includes(name)) throw unknownField(name, types)
        if (owner) throw tooLate(name)
        given[name] = value
      },
      async file(name, bytes) {
        const place = count++
        owner ??= ownerAmong(self, given)
        const to = owner
        await queue.add(async () => take(place, name, bytes, await to))
      },
    })
  } catch (error) {
    for (const row of files) if (row && !row.repeated) await self.service.remove(row.id)
    throw error
  }
  if (count === 0) throw new HttpFailure(400, 'invalid-input', 'The form has no file. Add a part with a file name.')
  return { files: files.filter((row) => row !== undefined), refused }
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

function unknownField(name: string, types: readonly string[]): HttpFailure {
  const known = types.join(', ')
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
