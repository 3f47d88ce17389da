import { isWithin } from '../../../capability.ts'

/** Folders that somebody's skills may come from. */
export interface TrustedFolders {
  /** The home: what lies in it is the owner's own. */
  readonly home: string
  /** `skills.trustedDirs`. Each one stands for itself, not for what lies in it. */
  readonly trustedDirs: readonly string[]
}

/** Whether the skills of a workspace may be loaded unasked. All paths are absolute, links resolved. */
export function isTrustedFolder(workspace: string, { home, trustedDirs }: TrustedFolders): boolean {
  return isWithin(home, workspace) || trustedDirs.includes(workspace)
}
