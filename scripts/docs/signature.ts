import type { ClassElement, FunctionDeclaration, Node, TypeAliasDeclaration } from 'typescript/unstable/ast'
import {
  isClassDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isTypeAliasDeclaration,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'
import { type Project, SymbolFlags, type Type, NodeBuilderFlags } from 'typescript/unstable/sync'

/** How a declaration is written for its users: without `export`, bodies, and private members. */
export function signature(node: Node, project: Project): string {
  if (isFunctionDeclaration(node)) return functionSignature(node, project)
  if (isClassDeclaration(node)) return classSignature(node)
  if (isTypeAliasDeclaration(node) && ofSchema.test(node.type.getText())) return schemaSignature(node, project)
  if (isVariableDeclaration(node)) {
    const value = node.initializer?.getText() ?? ''
    const shown = isShortLiteral(value) ? ` = ${value}` : ''
    const type = node.type?.getText() ?? (shown === '' ? inferred(node, project) : undefined)
    return `const ${node.name.getText()}${type === undefined ? '' : `: ${type}`}${shown}`
  }
  return node.getText().replace(/^export (?:default )?/, '')
}

/** The identifiers of a declaration that its users read: none from inside a body. */
export function identifiersOf(node: Node): readonly Node[] {
  const found: Node[] = []
  const visit = (one: Node): void => {
    if (isIdentifier(one)) found.push(one)
    one.forEachChild((child) => {
      if (!isBody(one, child)) visit(child)
    })
  }
  visit(node)
  return found
}

function isShortLiteral(value: string): boolean {
  return /^(?:-?[\d_.]+|'[^'\n]{0,80}')$/.test(value)
}

function isBody(parent: Node, child: Node): boolean {
  const { body, initializer } = parent as { readonly body?: Node; readonly initializer?: Node }
  return child === body || child === initializer
}

function functionSignature(node: FunctionDeclaration, project: Project): string {
  const text = withoutBody(node, node.body).replace(/^export (?:default )?/, '')
  return node.type === undefined ? `${text}: ${returned(node, project)}` : text
}

function classSignature(node: Node & { readonly members: readonly ClassElement[] }): string {
  const [first] = node.members
  const source = node.getSourceFile().text
  const head = source.slice(node.getStart(), first?.pos ?? node.end - 1).trimEnd()
  const members = node.members
    .filter((member) => !/^(?:private\b|#|static #)/.test(member.getText()))
    .map((member) => {
      const comment = source.slice(member.getStart(undefined, true), member.getStart())
      return `  ${comment}${withoutBody(member, (member as { readonly body?: Node }).body)}`
    })
  return [head.replace(/^export (?:default )?/, ''), ...members, '}'].join('\n')
}

/** A type that a schema gives says nothing of its members by itself. */
const ofSchema = /^z\.(?:infer|output)<typeof \w+>$/

/** What the values of a schema are: their members, each with its comment or what its schema says of it. */
function schemaSignature(node: TypeAliasDeclaration, { checker }: Project): string {
  const type = checker.getTypeAtLocation(node)!
  const written = (of: Type): string => checker.typeToString(of, node, NodeBuilderFlags.NoTruncation)
  const members = checker.getPropertiesOfType(type).map((property) => {
    const declared = property.declarations[0]?.resolve()?.getText() ?? ''
    const described = /\.describe\(\s*'([^']*)',?\s*\)$/.exec(declared)?.[1] ?? ''
    const about = property.getDocumentationComment(checker).trim() || described
    const mark = property.flags & SymbolFlags.Optional ? '?' : ''
    const of = written(checker.getTypeOfSymbolAtLocation(property, node))
    return `${about === '' ? '' : `  /** ${about} */\n`}  readonly ${property.name}${mark}: ${of}`
  })
  const head = `type ${node.name.getText()} =`
  return members.length === 0 ? `${head} ${written(type)}` : [`${head} {`, ...members, '}'].join('\n')
}

function withoutBody(node: Node, body: Node | undefined): string {
  return node
    .getSourceFile()
    .text.slice(node.getStart(), body?.getStart() ?? node.end)
    .replace(/^async (?=function)/, '')
    .replace(/^export async /, 'export ')
    .trimEnd()
}

function inferred(node: Node, { checker }: Project): string {
  const type = checker.getTypeAtLocation(node)
  if (type === undefined) return 'unknown'
  const text = checker.typeToString(type, node)
  return text.startsWith('"') ? 'string' : text
}

function returned(node: FunctionDeclaration, { checker }: Project): string {
  const of = checker.getSignatureFromDeclaration(node)
  const type = of === undefined ? undefined : checker.getReturnTypeOfSignature(of)
  return type === undefined ? 'unknown' : checker.typeToString(type, node)
}
