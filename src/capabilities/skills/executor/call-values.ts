import { relative, resolve } from 'node:path'
import { confinedPath } from '../../../capability/toolkit.ts'
import type { ToolFailed } from '../../../tool.ts'
import { argumentText, inputValue, isPathResolver, type Resolved, withDefaults } from './resolve-step.ts'
import type { Argument, Execution } from './tools-json.ts'

export interface ValueBounds {
  /** Absolute, links resolved. */
  readonly workspace: string
  /** Places of it that no tool may touch, and places that none may change. Absolute. */
  readonly outOfReach: readonly string[]
  readonly readOnly: readonly string[]
}

export interface ConfinedValues {
  readonly resolved: Resolved
  /** The folder that the program works in, absolute. */
  readonly folder: string
}

/**
 * Keeps the paths among the values within the workspace, with every link followed, and compares values with the patterns
 * that they must not match. Arguments in `pending` have no value yet: it is called again once they have.
 */
export async function confineValues(
  execution: Execution,
  input: unknown,
  { answers, pending }: { readonly answers: Resolved; readonly pending: ReadonlySet<number> },
  place: ValueBounds,
): Promise<ConfinedValues | ToolFailed> {
  const given = withDefaults(execution, input)
  const resolved = [...answers]
  let folder = place.workspace
  let isFolderKnown = true
  const args = [...(execution.args ?? []).entries()]
  // The folder comes first: other paths are relative to it.
  for (const [index, argument] of args.toSorted(([, one], [, other]) => rank(one) - rank(other))) {
    const text = answers[index] ?? argumentText(argument, inputValue(given, argument.param))
    if (argument.kind === 'workingdir' && pending.has(index)) isFolderKnown = false
    if (pending.has(index) || text === undefined || argument.kind === 'literal') continue
    const compared = [text]
    if (isPath(argument) && text !== '' && isFolderKnown) {
      const closed =
        argument.writePath || isPathResolver(argument.resolveCommand)
          ? [...place.outOfReach, ...place.readOnly]
          : place.outOfReach
      const found = await confinedPath(place.workspace, resolve(folder, text), closed)
      if (found.type === 'refused') return { ok: false, error: `parameter ${argument.param}: ${found.why}` }
      compared.push(found.path, relative(place.workspace, found.path))
      if (argument.kind === 'workingdir') folder = found.path
      else resolved[index] = found.path
    }
    const denied = argument.denyAlwaysResolve ? undefined : deniedFault(argument, compared)
    if (denied !== undefined) return denied
  }
  return { resolved, folder }
}

function rank({ kind }: Argument): number {
  return kind === 'workingdir' ? 0 : 1
}

function isPath({ kind, readPath, writePath, resolveCommand }: Argument): boolean {
  return kind === 'workingdir' || readPath === true || writePath === true || isPathResolver(resolveCommand)
}

/** Longer values are not compared with a pattern, and refused: the time that a comparison takes grows with them. */
const LONGEST_COMPARED = 1_000

/** Fails where a value must not be given. */
export function deniedFault({ param, denyPattern }: Argument, values: readonly string[]): ToolFailed | undefined {
  if (denyPattern === undefined) return undefined
  const pattern = new RegExp(denyPattern, 'u')
  const isDenied = values.some((value) => value.length > LONGEST_COMPARED || pattern.test(value))
  return isDenied
    ? { ok: false, error: `parameter ${param} has a value that the skill denies (${denyPattern})` }
    : undefined
}

/** The most repetitions without an end in one pattern, of which none may repeat a group: a comparison then ends soon. */
const MOST_REPETITIONS = 3

/** Why values cannot be compared with a pattern; `undefined` where they can. */
export function patternFault(pattern: string): string | undefined {
  try {
    RegExp(pattern, 'u')
  } catch {
    return 'is no regular expression'
  }
  const plain = pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x')
  const repetitions = plain.match(/[*+]|\{\d*,?\d*\}/g) ?? []
  const isSlow = /\)[*+{]/.test(plain) || /\\[1-9k]/.test(pattern) || repetitions.length > MOST_REPETITIONS
  return isSlow ? 'could take too long: it repeats a group, or has more than three repetitions' : undefined
}
