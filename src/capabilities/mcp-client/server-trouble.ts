import { statSync } from 'node:fs'
import { phrase } from '../../context.ts'

/** What a person can do about a server that does not run, by the words of what is wrong. */
export function hintFor(isUnusable: boolean, why: string): string {
  if (/environment variable/.test(why)) {
    return phrase`Set the variable in the environment of the gateway, and start the gateway again.`
  }
  if (isUnusable) return phrase`Correct the configuration of the server.`
  if (/there is no program|may not be run/.test(why))
    return phrase`Install the program, or write its full path as the command.`
  if (/there is no folder/.test(why)) return phrase`Create the folder, or name another one as the directory.`
  if (/connectTimeoutMs/.test(why)) return phrase`Raise connectTimeoutMs if the server needs longer to start.`
  return phrase`It is tried again by itself, at most a minute later. Restart tries at once.`
}

/** Why the program of a server was not started. `folder`: where it was to run. */
export function describeStartFailure(program: string, folder: string | undefined, error: unknown): string {
  if (folder !== undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return phrase`there is no folder ${folder} to run it in`
  }
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return phrase`there is no program ${program}`
  if (code === 'EACCES') return phrase`${program} may not be run (it is not executable, or permissions forbid it)`
  return phrase`${program} could not be started (${code ?? message})`
}

/** The warning about a server whose connection was lost. */
export function lostServer(name: string, trouble: string): string {
  return phrase`${name} cannot be reached: ${trouble}`
}

/** The warning about a server that no start has reached yet. */
export function unseenServer(name: string): string {
  return phrase`${name} was never reached, so its tools are not known yet`
}
