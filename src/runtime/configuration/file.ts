import {
  findNodeAtLocation,
  getNodePath,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { KeyPath } from './key.ts'
import type { ConfigurationProblem } from './problem.ts'

/** `config.json` as somebody wrote it, comments and all. */
export interface ConfigurationFile {
  /** An empty object where the file is missing or cannot be understood. */
  readonly value: Readonly<Record<string, unknown>>
  readonly problems: readonly ConfigurationProblem[]
  /** `config.json:LINE:COLUMN` of a key, or of the nearest thing around it. */
  findPlace(path: KeyPath): string
}

const FILE = 'config.json'

/** Reads the text of `config.json`; an empty one is an empty configuration. */
export function parseConfiguration(text: string): ConfigurationFile {
  const errors: ParseError[] = []
  const tree = text.trim() === '' ? undefined : parseTree(text, errors, { allowTrailingComma: true })
  const first = errors.filter(({ offset }, index) => errors.findIndex((other) => other.offset === offset) === index)
  const problems = first.map(({ error, offset }) => ({
    key: '',
    place: `${FILE}:${lineAndColumn(text, offset)}`,
    message: `this is not JSON: ${printParseErrorCode(error)
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()}`,
    hint: 'Comments and a comma at the end of a list are allowed; write every name in double quotes.',
  }))
  if (problems.length === 0 && tree && tree.type !== 'object') {
    problems.push({
      key: '',
      place: `${FILE}:${lineAndColumn(text, tree.offset)}`,
      message: 'the file must contain an object',
      hint: 'Begin it with { and end it with }.',
    })
  }
  const repeated = problems.length === 0 ? repeatedNames(tree).map((node) => repetition(node, text)) : []
  return {
    value: problems.length === 0 && tree ? getNodeValue(tree) : {},
    problems: [...problems, ...repeated],
    findPlace: (path) => `${FILE}:${lineAndColumn(text, findOffset(tree, path))}`,
  }
}

/** The later of two properties of one name in one object. JSON lets it win in silence. */
function repeatedNames(tree: Node | undefined): readonly Node[] {
  const children = tree?.children ?? []
  const names = tree?.type === 'object' ? children.map((property) => String(property.children?.[0]?.value)) : []
  const later = names.flatMap((name, index) => (names.indexOf(name) < index ? [children[index]!] : []))
  return [...later, ...children.flatMap(repeatedNames)]
}

function repetition(property: Node, text: string): ConfigurationProblem {
  return {
    key: getNodePath(property.children?.[0] ?? property).join('.'),
    place: `${FILE}:${lineAndColumn(text, property.offset)}`,
    message: 'this key appears twice, and only one of the two can count',
    hint: 'Keep one of them.',
  }
}

function findOffset(tree: Node | undefined, path: KeyPath): number {
  if (!tree) return 0
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length).map(segment))
    if (node) return (node.parent?.type === 'property' ? node.parent : node).offset
  }
  return tree.offset
}

/** The parser finds list items by number only. */
function segment(name: string): string | number {
  return /^\d+$/.test(name) ? Number(name) : name
}

function lineAndColumn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n')
  return `${lines.length}:${lines.at(-1)!.length + 1}`
}
