import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Node } from 'typescript/unstable/ast'
import { API, type Project, SymbolFlags, type Symbol as TypeScriptSymbol } from 'typescript/unstable/sync'

/** One subpath of `exports` in package.json. */
export interface EntryPoint {
  /** As it is imported: `foreword/context`. */
  readonly specifier: string
  /** Path of its source from the root of the package. */
  readonly source: string
  readonly names: readonly PublicName[]
}

/** One name that an entry point exports. */
export interface PublicName {
  readonly name: string
  readonly symbol: TypeScriptSymbol
  /** What the name stands for, outermost first. More than one where a type and a value share a name, or a function has overloads. */
  readonly declarations: readonly Node[]
  /** Path of the file that declares it, from the root of the package; outside `src/` for a name of a dependency. */
  readonly file: string
}

export interface PublicApi {
  readonly root: string
  readonly project: Project
  readonly entryPoints: readonly EntryPoint[]
}

interface PackageJson {
  readonly name: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

/**
 * Reads what every entry point of package.json exports, with the compiler that checks the types, and hands it to `use`.
 * The compiler's program ends when `use` returns: nothing of it may be kept.
 */
export function withPublicApi<T>(root: string, use: (api: PublicApi) => T): T {
  const compiler = new API({ cwd: root })
  try {
    const project = compiler.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()[0]!
    const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageJson
    const entryPoints = Object.entries(exports).flatMap(([subpath, target]) => {
      const source = typeof target === 'string' ? undefined : target['foreword-source']?.slice(2)
      if (source === undefined) return []
      return [{ specifier: `${name}${subpath.slice(1)}`, source, names: namesOf(project, root, source) }]
    })
    return use({ root, project, entryPoints })
  } finally {
    compiler.close()
  }
}

function namesOf(project: Project, root: string, source: string): readonly PublicName[] {
  const file = project.program.getSourceFile(join(root, source))
  if (file === undefined) throw new Error(`package.json exports ${source}, and the compiler does not know that file`)
  const module = project.checker.getSymbolAtLocation(file)
  if (module === undefined) return []
  return project.checker
    .getExportsOfModule(module)
    .map((exported) => {
      const isAlias = (exported.flags & SymbolFlags.Alias) !== 0
      const symbol = isAlias ? project.checker.getAliasedSymbol(exported) : exported
      const declarations = symbol.declarations.map((handle) => handle.resolve(project)!)
      return {
        name: exported.name,
        symbol,
        declarations,
        file: pathFrom(root, declarations[0]!.getSourceFile().fileName),
      }
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function pathFrom(root: string, path: string): string {
  return relative(root, path).split(sep).join('/')
}
