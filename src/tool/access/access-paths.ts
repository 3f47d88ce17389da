import { join } from 'node:path'

/**
 * The paths at which a home may have its policy; the first that exists counts (BEHAVIOURS §2.3). Who asks where a home has its
 * files needs nothing that reads a policy, so this is a file of its own.
 */
export function accessPaths(root: string): readonly [string, string] {
  return [join(root, 'tool-access.json'), join(root, 'context', 'tool-access.json')]
}
