import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'

/** A file of the working directory that a message names. */
export interface MentionedFile {
  /** As it is written, without `@` and quotes. */
  readonly name: string
  readonly path: string
  readonly bytes: number
}

/**
 * The files that a message names as `@name` or `@"name with blanks"`, each once, in their order. Only regular files below
 * `directory` count, symbolic links followed: a pasted text cannot name what lies elsewhere. Anything else that begins with `@` is text.
 */
export function findMentionedFiles(text: string, directory: string): readonly MentionedFile[] {
  const found = new Map<string, MentionedFile>()
  for (const [, quoted, bare] of text.matchAll(MENTION)) {
    const file =
      bare === undefined
        ? fileAt(quoted!, directory)
        : (fileAt(bare, directory) ?? fileAt(bare.replace(/[.,;:!?)\]}'…。，、！？]+$/u, ''), directory))
    if (file !== undefined && !found.has(file.path)) found.set(file.path, file)
  }
  return [...found.values()]
}

const MENTION = /(?<=^|[\s([{'"])@(?:"([^"\n]+)"|([^\s"]+))/gm

function fileAt(name: string, directory: string): MentionedFile | undefined {
  if (name === '' || isAbsolute(name)) return undefined
  try {
    const root = realpathSync(directory)
    const path = realpathSync(resolve(root, name))
    const inside = relative(root, path)
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return undefined
    const facts = statSync(path)
    return facts.isFile() ? { name, path, bytes: facts.size } : undefined
  } catch {
    return undefined
  }
}
