import { sep } from 'node:path'

/** Whether a resolved path is a resolved folder or is in it. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
