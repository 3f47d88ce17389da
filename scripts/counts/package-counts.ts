import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { takeCounts, withGateway } from './gateway-counts.ts'
import { folderBytes } from './install-counts.ts'

/** Files that processes of the published package load, and how large its code is. */
export interface PackageCounts {
  readonly start: number
  readonly help: number
  /** `foreword send` beside a running gateway. */
  readonly send: number
  readonly bytes: number
  /** The packages that it depends on. */
  readonly dependencies: readonly string[]
}

interface PackageScripts {
  bundle(folder: string): Promise<unknown>
  stagePackage(folder: string, options: { readonly dist: boolean }): void
  readonly publishedDependencies: readonly string[]
}

/** Bundles a checkout as it is published, without declarations, into a folder where no other package is installed. */
export async function withPackage<Value>(
  root: string,
  work: (folder: string, dependencies: readonly string[]) => Promise<Value>,
): Promise<Value> {
  const scripts = ['bundle.mjs', 'package.mjs'].map((name) => import(pathToFileURL(join(root, 'scripts', name)).href))
  const { bundle, stagePackage, publishedDependencies }: PackageScripts = Object.assign(
    {},
    ...(await Promise.all(scripts)),
  )
  const folder = mkdtempSync(join(tmpdir(), 'foreword-package-'))
  try {
    await bundle(join(folder, 'dist'))
    stagePackage(folder, { dist: false })
    return await work(folder, publishedDependencies)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function packageCounts(root: string): Promise<PackageCounts> {
  return withPackage(root, (folder, dependencies) =>
    withGateway(folder, async ({ gateway, http, environment }) => {
      await http('/api/status?wait=idle')
      const { modules } = await takeCounts(gateway)
      const loadedBy = async (...words: readonly string[]) => {
        const file = join(folder, 'loaded')
        const hook = ['--import', join(import.meta.dirname, 'module-hook.mjs'), join(folder, 'bin', 'foreword.js')]
        await promisify(execFile)(process.execPath, [...hook, ...words], { env: { ...environment, LOADED_FILE: file } })
        return readFileSync(file, 'utf8').split('\n').length
      }
      return {
        start: modules.length,
        help: await loadedBy('--help'),
        send: await loadedBy('send', 'Hello'),
        bytes: folderBytes(join(folder, 'dist')),
        dependencies,
      }
    }),
  )
}
