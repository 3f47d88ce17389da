import { isAbsolute, join, relative, sep } from 'node:path'
import type { Environment } from '../configuration/value.ts'
import { homeAt } from '../home/home.ts'
import type { CheckpointTarget } from './checkpoint-target.ts'
import { fileTarget } from './file-target.ts'
import { gitTarget } from './git-target.ts'
import { httpTarget } from './http-target.ts'
import { syslogTarget } from './syslog-target.ts'

interface TargetSurroundings {
  readonly home: string
  readonly environment: Environment
}

/** The targets that `audit.checkpoints` names, each once. */
export function checkpointTargets(
  names: readonly string[],
  surroundings: TargetSurroundings,
): readonly CheckpointTarget[] {
  const targets = names.map((name) => checkpointTarget(name, surroundings))
  return [...new Map(targets.map((target) => [target.name, target])).values()]
}

function checkpointTarget(name: string, { home, environment }: TargetSurroundings): CheckpointTarget {
  const pathOf = (path: string) => absolutePath(path, home, environment)
  if (/^https?:\/\//.test(name)) return httpTarget(name)
  if (name === 'syslog') return syslogTarget({ name, environment })
  if (name.startsWith('syslog:')) {
    return syslogTarget({ name, socket: pathOf(name.slice('syslog:'.length)), environment })
  }
  if (name.startsWith('git:')) return gitTarget({ name, folder: pathOf(name.slice('git:'.length)), environment })
  return fileTarget(name, pathOf(name))
}

function absolutePath(path: string, home: string, environment: Environment): string {
  const own = environment['HOME']
  if (path.startsWith('~/') && own) return join(own, path.slice(2))
  return isAbsolute(path) ? path : join(home, path)
}

/** Why checkpoints must not be kept at this place; `undefined` where they may. Nothing that can reach the store may reach them. */
export function targetFault(target: CheckpointTarget, home: string, workspace: string): string | undefined {
  const { path } = target
  if (path === undefined) return undefined
  if (isInside(homeAt(home).data, path)) return 'is inside `data`, where the store is: what removes one removes both'
  // Where the workspace has the home in it, tools are kept away from each file of the host.
  if (isInside(workspace, path) && !isInside(workspace, home)) return 'is inside the workspace, where tools can write'
  return undefined
}

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}
