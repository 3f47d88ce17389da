import { CommandFailure } from '../failure.ts'

export interface Wanted {
  /** Names of tools, or patterns that end in `*`. */
  readonly names: readonly string[]
  readonly allowed: boolean
}

export interface Changed {
  /** The file that says what may run. */
  readonly file: string
  /** `false`: it said so already. */
  readonly isChanged: boolean
}

/** Writes `tool-access.json` whole or not at all, and never so that it could not be read again. */
export async function changeAccessFile(home: string, { names, allowed }: Wanted): Promise<Changed> {
  const { accessPlace, editFile } = await import('../../runtime.ts')
  const { readAccess, withTool } = await import('../../tool.ts')
  const file = await accessPlace(home)
  try {
    const isChanged = await editFile({
      home,
      path: file,
      change: (text) => names.reduce((edited, name) => withTool(edited, name, allowed), text),
      check(text) {
        const read = readAccess(text, {})
        if (read.type === 'faulty') throw new Error(`the changed file would not be valid: ${read.problems.join('; ')}`)
      },
    })
    return { file, isChanged }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new CommandFailure('tool-access', message, { hint: `The file is ${file}.`, cause: error })
  }
}
