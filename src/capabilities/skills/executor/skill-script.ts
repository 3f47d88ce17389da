import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isWithin } from '../../../capability.ts'

/** A script that a skill ships, as it is now, or why there is none to run. */
export type SkillScript =
  | {
      readonly type: 'script'
      /** Absolute, links resolved. */
      readonly path: string
      /** What runs it: the script itself, or `sh` and the script. */
      readonly words: readonly string[]
      /** SHA-256 of what it says, hex. */
      readonly digest: string
    }
  | { readonly type: 'refused'; readonly why: string }

/** What runs a script that need not be executable. */
const SHELL = 'sh'

/**
 * Finds a script of a skill: `scripts/{name}`, which has to be executable, else `scripts/{name}.sh`, which `sh` runs. A name
 * that ends in `.sh` itself needs no execute bit either. It is one file of that folder, and within the skill's folder once
 * links are followed (BEHAVIOURS §1.5). Never throws.
 */
export async function skillScript(skillFolder: string, name: string): Promise<SkillScript> {
  const shown = JSON.stringify(name)
  if (/[/\\]|\.\./.test(name)) return refused(`the script name ${shown} holds "/", "\\" or "..", which none may`)
  try {
    const scripts = join(skillFolder, 'scripts')
    const plain = await realpath(join(scripts, name)).catch(absent)
    const path = plain ?? (await realpath(join(scripts, `${name}.sh`)))
    if (!isWithin(await realpath(skillFolder), path))
      return refused(`the script ${shown} leads out of its skill's folder`)
    if (!(await stat(path)).isFile()) return refused(`the script ${shown} is no regular file`)
    const byShell = plain === undefined || (name.endsWith('.sh') && !(await isExecutable(path)))
    await access(path, byShell ? constants.R_OK : constants.X_OK)
    return { type: 'script', path, words: byShell ? [SHELL, path] : [path], digest: await digestOf(path) }
  } catch (error) {
    return refused(`the script ${shown} ${whyOf(error as NodeJS.ErrnoException)}`)
  }
}

/** Nothing there is no failure: the other name is tried. */
function absent(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** SHA-256 of a script that was found before, hex; `undefined` where it is gone. */
export async function scriptDigest(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await digestOf(path) : undefined
  } catch {
    return undefined
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

function whyOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return "is not in its skill's scripts folder, with or without .sh"
  if (code === 'EACCES' || code === 'EPERM')
    return 'may not be read and run: make it readable and executable (chmod +rx)'
  if (code === 'ELOOP') return 'is a link that leads in a circle'
  return `cannot be used: ${code ?? message}`
}

function refused(why: string): SkillScript {
  return { type: 'refused', why }
}
