import { realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { isWithin } from '../../../capability/toolkit.ts'
import type { SkillRoot } from '../skill.ts'

/** All paths are absolute. */
interface SkillPlaces {
  readonly home: string
  readonly directory: string
  readonly extraDirs: readonly string[]
  readonly workspace: string
  readonly trustedDirs: readonly string[]
}

/** The roots in their order (BEHAVIOURS §1.1), the workspace's last. A repeated one counts once, at its first place. */
export async function skillRoots(places: SkillPlaces): Promise<readonly SkillRoot[]> {
  const { home, directory, extraDirs, workspace } = places
  const rootRef = (path: string) => (isWithin(home, path) ? relative(home, path).split(sep).join('/') || '.' : path)
  const shared = join(workspace, '.agents', 'skills')
  const roots: readonly SkillRoot[] = [
    { path: directory, ref: rootRef(directory), kind: 'home' },
    ...extraDirs.map((path) => ({ path, ref: rootRef(path), kind: 'extra' as const })),
    {
      path: shared,
      ref: rootRef(shared),
      kind: 'workspace',
      trusted: isTrustedFolder(await resolvePath(places.workspace), {
        home: await resolvePath(places.home),
        trustedDirs: await Promise.all(places.trustedDirs.map(resolvePath)),
      }),
    },
  ]
  const real = await Promise.all(roots.map(({ path }) => resolvePath(path)))
  return roots.filter((_, index) => real.indexOf(real[index]!) === index)
}

/** Unchanged if nothing is there. */
async function resolvePath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

/**
 * Those in the home are the owner's own; an entry of `trustedDirs` does not cover the folders in it. All paths are
 * absolute, links resolved.
 */
export function isTrustedFolder(
  workspace: string,
  { home, trustedDirs }: Pick<SkillPlaces, 'home' | 'trustedDirs'>,
): boolean {
  return isWithin(home, workspace) || trustedDirs.includes(workspace)
}
