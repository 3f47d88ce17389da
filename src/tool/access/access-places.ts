import { join } from 'node:path'

/** Where the policy of a home may stand; the first of them that is there counts (BEHAVIOURS §2.3). */
export function accessPlaces(root: string): readonly [string, string] {
  return [join(root, 'tool-access.json'), join(root, 'context', 'tool-access.json')]
}
