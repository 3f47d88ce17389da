import { phrase } from '../../../context.ts'
import type { UnloadedSkill } from '../http/skill-answers.ts'
import { stat, access } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve, posix, win32 } from 'node:path'
import { constants } from 'node:fs'

export interface Requirements {
  /** One program of each inner list is enough. A name with a slash is the path of a file. */
  readonly bins: readonly (readonly string[])[]
  readonly env: readonly string[]
  /** Systems that it is for, as Node names them, such as `linux`; empty: every system. */
  readonly os: readonly string[]
}

export const noRequirements: Requirements = { bins: [], env: [], os: [] }

export interface Machine {
  readonly findBinary: FindBinary
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly platform: string
}

/** `undefined` if nothing is missing. */
export async function missingRequirements(
  { bins, env, os }: Requirements,
  folder: string,
  { findBinary, environment, platform }: Machine,
): Promise<Pick<UnloadedSkill, 'code' | 'why'> | undefined> {
  if (os.length > 0 && !os.includes(platform)) {
    return { code: 'other-system', why: phrase`it is for ${os.join(', ')}, and this is ${platform}` }
  }
  const isThere = (name: string) => (isPath(name) ? isFileAt(name, folder) : findBinary(name))
  const missing: (readonly string[])[] = []
  for (const anyOf of bins) {
    const found = await Promise.all(anyOf.map(isThere))
    if (!found.includes(true)) missing.push(anyOf)
  }
  const unset = env.filter((name) => (environment[name] ?? '') === '')
  const files = missing.filter((names) => names.every(isPath))
  const programs = missing.filter((names) => !files.includes(names))
  const needs = [
    ...(programs.length > 0 ? [phrase`${listPrograms(programs)}, not found on PATH`] : []),
    ...(files.length > 0 ? [phrase`${listPrograms(files)}, no such file`] : []),
    ...(unset.length > 0 ? [phrase`${unset.join(' and ')} in the environment`] : []),
  ]
  if (needs.length === 0) return undefined
  return {
    code: missing.length > 0 ? 'missing-programs' : 'missing-environment',
    why: phrase`it needs ${needs.reduce((all, need) => phrase`${all}; and ${need}`)}`,
  }
}

function listPrograms(missing: readonly (readonly string[])[]): string {
  return missing.map((anyOf) => (anyOf.length === 1 ? anyOf[0]! : phrase`one of ${anyOf.join(', ')}`)).join(' and ')
}

function isPath(name: string): boolean {
  return /[/\\]/.test(name)
}

/** A relative path starts in the skill's folder, `~` in the user's home. No execute bit is needed: archives lose it. */
async function isFileAt(path: string, folder: string): Promise<boolean> {
  const facts = await stat(resolve(folder, path.replace(/^~(?=[/\\])/, homedir()))).catch(() => undefined)
  return facts?.isFile() ?? false
}

/** Agents whose names public skills use as keys for requirements. */
const AGENTS = ['openclaw', 'clawdbot', 'moltbot'] as const

/** Other names of systems, and Node's name for them. */
const SYSTEMS: Readonly<Record<string, string>> = { macos: 'darwin', osx: 'darwin', mac: 'darwin', windows: 'win32' }

/** From `metadata.requires`, `openclaw`, `clawdbot` and `moltbot` (BEHAVIOURS §1.1), as fields or JSON. All count. */
export function readRequirements(metadata: Readonly<Record<string, unknown>>, warnings: string[]): Requirements {
  const places = [
    { path: 'metadata', fields: metadata },
    ...AGENTS.map((name) => ({ path: `metadata.${name}`, fields: objectFields(metadata[name]) ?? {} })),
  ]
  const each = places.map(({ path, fields }) => {
    const requires = objectFields(fields['requires']) ?? {}
    const list = (key: string) => {
      return asList(requires[key]).flatMap((item) => {
        const names = asList(item).flatMap(trimmedName)
        if (names.length === 0) {
          warnings.push(
            key === 'env'
              ? phrase`${path}.requires.${key} has an entry that names no variable; it is ignored`
              : phrase`${path}.requires.${key} has an entry that names no program; it is ignored`,
          )
        }
        return names.length === 0 ? [] : [names]
      })
    }
    const anyBins = list('anyBins').flat()
    const written = asList(requires['bins'])
    // As Chai has it: where every entry is a list of one, they are alternatives. Otherwise they would need no lists.
    const areAlternatives = written.length > 1 && written.every((entry) => Array.isArray(entry) && entry.length === 1)
    const bins = areAlternatives ? [list('bins').flat()] : list('bins')
    return {
      bins: [...bins, ...(anyBins.length > 0 ? [anyBins] : [])],
      env: list('env').flat(),
      // No agent defines an `os` at the top of `metadata`.
      os: path === 'metadata' ? [] : asList(fields['os']).flatMap(trimmedName).map(nodeSystem),
    }
  })
  return {
    bins: each.flatMap(({ bins }) => bins),
    env: [...new Set(each.flatMap(({ env }) => env))],
    os: [...new Set(each.flatMap(({ os }) => os))],
  }
}

/** The fields of an object, or of the JSON of one; `undefined` for anything else. */
export function objectFields(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value === 'string') return value.trimStart().startsWith('{') ? objectFields(tryJson(value)) : undefined
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
}

function tryJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? undefined : value
  } catch {
    return undefined
  }
}

function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? (value as readonly unknown[]) : [value]
}

function trimmedName(value: unknown): readonly string[] {
  return typeof value === 'string' && value.trim() !== '' ? [value.trim()] : []
}

function nodeSystem(name: string): string {
  return SYSTEMS[name.toLowerCase()] ?? name.toLowerCase()
}

export type FindBinary = (name: string) => Promise<boolean>

interface FindBinaryOptions {
  readonly path: string | undefined
  readonly platform: string
  /** The variable `PATHEXT`, on Windows. */
  readonly extensions?: string | undefined
}

export function programFinder({ PATH, PATHEXT }: Readonly<Record<string, string | undefined>>): FindBinary {
  return binaryFinder({ path: PATH, platform: process.platform, extensions: PATHEXT })
}

/** Looks again at each call. A name that is itself a path is never found. */
export function binaryFinder({ path = '', platform, extensions }: FindBinaryOptions): FindBinary {
  const { delimiter, join } = platform === 'win32' ? win32 : posix
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const endings = platform === 'win32' ? (extensions ?? '.COM;.EXE;.BAT;.CMD').split(';') : ['']

  return async (name) => {
    if (name === '' || /[/\\\0]/.test(name)) return false
    for (const folder of folders) {
      for (const ending of endings) if (await isProgram(join(folder, `${name}${ending}`))) return true
    }
    return false
  }
}

/** Looks for each name once. */
export function cachedFinder(findBinary: FindBinary): FindBinary {
  const known = new Map<string, Promise<boolean>>()
  return (name) => {
    const asked = known.get(name) ?? findBinary(name)
    known.set(name, asked)
    return asked
  }
}

export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
