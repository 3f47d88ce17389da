import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { shareImports } from './module-imports.ts'

/** What a module exports by default: named by path (`./weather.ts`, relative to the home), or as a package installed in the home or above it. */
export async function defaultExport(name: string, home: string): Promise<unknown> {
  const url = await urlOf(name, home)
  for (const folder of [home, dirname(fileURLToPath(url))]) shareImports(folder)
  const module = (await import(url)) as { readonly default?: unknown }
  return module.default
}

/** The files of modules that are named by their path, absolute: what stands in them runs as Foreword itself. */
export function moduleFiles(names: readonly string[], home: string): readonly string[] {
  return names.flatMap((name) => fileOf(name, home) ?? [])
}

function fileOf(name: string, home: string): string | undefined {
  if (name.startsWith('file:')) return URL.parse(name)?.host === '' ? fileURLToPath(name) : undefined
  if (isAbsolute(name)) return name
  return name.startsWith('./') || name.startsWith('../') ? join(home, name) : undefined
}

async function urlOf(name: string, home: string): Promise<string> {
  if (name.startsWith('file:')) return name
  const file = fileOf(name, home)
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
      {
        cause: error,
      },
    )
  }
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true
}
