import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { confinedPath } from '../../capability.ts'

/** Where a command would work, or why it cannot work there. */
export type WorkingFolder =
  | { readonly type: 'folder'; readonly path: string }
  | { readonly type: 'refused'; readonly why: string }

/** The folder that a call names, links resolved: the workspace unless it names one, and inside it unless `anywhere`. */
export async function workingFolder(
  workspace: string,
  asked: string | undefined,
  anywhere: boolean,
): Promise<WorkingFolder> {
  const within = await confinedPath(workspace, asked ?? '.')
  if (within.type === 'inside') return isFolder(within.path, asked ?? workspace)
  if (!anywhere || asked === undefined || asked === '' || asked.includes('\0')) {
    return refused(`the working folder (cwd) cannot be used: ${within.why}`)
  }
  try {
    return await isFolder(await realpath(resolve(await realpath(workspace), asked)), asked)
  } catch {
    return refused(missing(asked))
  }
}

async function isFolder(path: string, asked: string): Promise<WorkingFolder> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return refused(missing(asked))
  if (!found.isDirectory()) return refused(`the working folder (cwd) ${JSON.stringify(asked)} is not a folder`)
  return { type: 'folder', path }
}

function missing(asked: string): string {
  return `the working folder (cwd) ${JSON.stringify(asked)} does not exist; leave cwd out to work in the workspace`
}

function refused(why: string): WorkingFolder {
  return { type: 'refused', why }
}
