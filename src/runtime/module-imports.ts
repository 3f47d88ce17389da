import { existsSync, realpathSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

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
