import { commandWords } from './command-words.ts'
import { riskyPrograms } from './risky-programs.ts'

/**
 * Why a prefix of `allowedPrefixes` allows more than it seems to, as `it runs …`: every argument may stand behind it, and
 * its program then runs other programs or writes where it likes. `undefined` where nothing of that is known. A prefix that
 * cannot be read allows nothing, and is no risk.
 */
export function prefixRisk(prefix: string): string | undefined {
  const read = commandWords(prefix)
  const [program] = read.type === 'words' ? read.words : []
  if (program === undefined || program === '') return undefined
  const known = namesOf(program)
  const why = known.map((name) => reasons.get(name)).find((reason) => reason !== undefined)
  if (why !== undefined) return why
  return program.includes('/') && !program.startsWith('/')
    ? 'it is a file of the workspace, and what can write there decides what runs'
    : undefined
}

const reasons = new Map(riskyPrograms.flatMap(({ names, why }) => names.split(' ').map((name) => [name, why])))

/** `/usr/bin/python3.12`, `python3` and `PYTHON.EXE` are `python`; `gcc-12` is `gcc`. */
function namesOf(program: string): readonly string[] {
  const file = program.slice(program.lastIndexOf('/') + 1)
  const name = file.replace(/\.(?:exe|cmd|bat|com)$/i, '')
  return [name, name.toLowerCase()].flatMap((each) => [each, each.replace(/-?\d+(?:\.\d+)*$/, '')])
}
