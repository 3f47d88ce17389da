import { existsSync, realpathSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { errorMessage } from '../platform.ts'

/** What a module exports by default: named by path (`./weather.ts`, relative to the home), or as a package installed in the home or above it. */
export async function importDefault(name: string, home: string): Promise<unknown> {
  const url = await moduleUrl(name, home)
  for (const folder of [home, dirname(fileURLToPath(url))]) shareImports(folder)
  const module = (await import(url).catch(withPlace)) as { readonly default?: unknown }
  return module.default
}

/** Node names the line of TypeScript that it cannot run in front of the stack alone: `/home/mine.ts:3`. */
function withPlace(error: unknown): never {
  const place = error instanceof SyntaxError ? /^(.+\.[cm]?ts:\d+)\n/.exec(error.stack ?? '')?.[1] : undefined
  if (place === undefined) throw error
  throw new SyntaxError(`${place}: ${errorMessage(error)}`, { cause: error })
}

/** The files of modules that are named by their path, absolute: their code runs as Foreword itself. */
export function moduleFiles(names: readonly string[], home: string): readonly string[] {
  return names.flatMap((name) => moduleFile(name, home) ?? [])
}

function moduleFile(name: string, home: string): string | undefined {
  if (name.startsWith('file:')) return URL.parse(name)?.host === '' ? fileURLToPath(name) : undefined
  if (isAbsolute(name)) return name
  return name.startsWith('./') || name.startsWith('../') ? join(home, name) : undefined
}

async function moduleUrl(name: string, home: string): Promise<string> {
  if (name.startsWith('file:')) return name
  const file = moduleFile(name, home)
  if (file !== undefined) {
    if (!(await isFile(file))) throw new Error(`there is no file ${file}`)
    return pathToFileURL(file).href
  }
  const { resolve } = await import('import-meta-resolve')
  try {
    return resolve(name, pathToFileURL(join(home, 'config.json')).href)
  } catch (error) {
    const here = fileURLToPath(pathToFileURL(home))
    throw new Error(
      `no package of this name is installed in ${here}; run \`npm install ${name}\` there, or name a path that begins with ./`,
      { cause: error },
    )
  }
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true
}

/** Addresses of the folders whose modules import what runs here. There is one module loader in a process. */
const folders = new Set<string>()

/**
 * Modules below this folder import `foreword` and `foreword/…` from the Foreword that runs, whichever is
 * installed beside them: a second copy would have classes of its own. `zod` is the one that they have; the one of Foreword
 * where they have none. So a capability of one file needs nothing installed.
 */
export function shareImports(folder: string): void {
  if (folders.size === 0) registerHooks({ resolve })
  for (const path of existsSync(folder) ? [folder, realpathSync(folder)] : [folder])
    folders.add(`${pathToFileURL(path).href}/`)
}

/** In a checkout what runs is the source, and so is what modules of a home import. */
const conditions = import.meta.url.endsWith('.ts') ? ['foreword-source'] : []

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>

const resolve: Resolve = (specifier, context, next) => {
  const isForeword = /^foreword(?:\/|$)/.test(specifier)
  if (!(isForeword || specifier === 'zod') || !isShared(context.parentURL)) return next(specifier, context)
  const here = { ...context, conditions: [...context.conditions, ...conditions], parentURL: import.meta.url }
  if (isForeword) return next(specifier, here)
  try {
    return next(specifier, context)
  } catch {
    return next(specifier, here)
  }
}

function isShared(url = ''): boolean {
  return [...folders].some((folder) => url.startsWith(folder))
}
