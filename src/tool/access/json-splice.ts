import type { Node } from 'jsonc-parser'
import { jsonStyle } from './json-style.ts'

/** A stretch of a text, and what is put in its place. */
export interface Splice {
  readonly at: number
  readonly length: number
  readonly text: string
}

/** The text after all of them; none overlaps another. Of two at one place the first comes first. */
export function spliced(text: string, splices: readonly Splice[]): string {
  return splices
    .toReversed()
    .toSorted((left, right) => right.at - left.at)
    .reduce((edited, { at, length, text: put }) => edited.slice(0, at) + put + edited.slice(at + length), text)
}

/** Puts one more entry behind the others, and behind the comments beside them. */
export function insertion(
  text: string,
  container: Node,
  entry: (indent: string, lines: boolean) => string,
): readonly Splice[] {
  const style = jsonStyle(text)
  const close = container.offset + container.length - 1
  const inside = text.slice(container.offset + 1, close)
  const { children = [] } = container
  const last = children.at(-1)
  const lines = /[\r\n]/.test(inside) || (container.parent === undefined && inside.trim() === '')
  const outer = indentOf(text, container.offset)
  const indent = last && startsLine(text, last.offset) ? indentOf(text, last.offset) : outer + style.unit
  const end = container.offset + 1 + inside.replace(/[ \t\r\n]*$/, '').length
  const comma: readonly Splice[] =
    last && commaBehind(text, last) === undefined ? [{ at: last.offset + last.length, length: 0, text: ',' }] : []
  if (lines) {
    const isOpen = /[\r\n]/.test(text.slice(end, close))
    const put = `${style.eol}${indent}${entry(indent, true)}${isOpen ? '' : style.eol + outer}`
    return [...comma, { at: end, length: isOpen ? 0 : close - end, text: put }]
  }
  const isFirst = inside.trim() === ''
  const padding = container.type === 'object' && isFirst ? ' ' : ''
  const put = `${isFirst ? padding : ' '}${entry(indent, false)}${padding}`
  return [...comma, { at: end, length: isFirst ? close - end : 0, text: put }]
}

/** Takes an entry out with one comma, and its line where nothing else stands on it. Comments stay. */
export function removal(text: string, node: Node): readonly Splice[] {
  const end = node.offset + node.length
  const behind = commaBehind(text, node)
  if (behind !== undefined) {
    const isAlone = startsLine(text, node.offset) && text.slice(end, behind).trim() === ''
    if (!isAlone) return [cut(node.offset, end), ...cutComma(text, behind)]
    const rest = /^[ \t]*(?:\r\n|\n|\r)/.exec(text.slice(behind + 1))?.[0]
    if (rest !== undefined) return [cut(lineStart(text, node.offset), behind + 1 + rest.length)]
    return [cut(node.offset, behind + 1 + blanksAt(text, behind + 1))]
  }
  const siblings = node.parent?.children ?? []
  const before = siblings[siblings.indexOf(node) - 1]
  const comma = before === undefined ? undefined : commaBehind(text, before)
  const ends = /^[ \t]*(?=[\r\n])/.exec(text.slice(end))?.[0]
  const isLine = startsLine(text, node.offset) && ends !== undefined
  // The break in front goes, so that the line behind keeps its own.
  const start = isLine ? lineStart(text, node.offset) : node.offset - blanksBefore(text, node.offset)
  const isAfterComma = comma !== undefined && text.slice(comma + 1, start).trim() === ''
  const own = isLine
    ? cut(start, end + ends.length + breakAt(text, end + ends.length))
    : cut(comma !== undefined && isAfterComma ? Math.max(start, comma + 1) : node.offset, end)
  return comma === undefined ? [own] : [cut(comma, comma + 1), own]
}

function cutComma(text: string, comma: number): readonly Splice[] {
  return [cut(comma, comma + 1 + blanksAt(text, comma + 1))]
}

function cut(from: number, to: number): Splice {
  return { at: from, length: to - from, text: '' }
}

/** Where the comma stands that belongs to an entry, comments in between or not. */
function commaBehind(text: string, node: Node): number | undefined {
  const between = /(?:[ \t\r\n]+|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y
  between.lastIndex = node.offset + node.length
  between.test(text)
  return text[between.lastIndex] === ',' ? between.lastIndex : undefined
}

function lineStart(text: string, at: number): number {
  return Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1
}

function startsLine(text: string, at: number): boolean {
  return /^[ \t]*$/.test(text.slice(lineStart(text, at), at))
}

export function indentOf(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at)))![0]
}

function blanksAt(text: string, at: number): number {
  return /^[ \t]*/.exec(text.slice(at))![0].length
}

function blanksBefore(text: string, at: number): number {
  return /[ \t]*$/.exec(text.slice(0, at))![0].length
}

function breakAt(text: string, at: number): number {
  return /^(?:\r\n|\n|\r)/.exec(text.slice(at))?.[0].length ?? 0
}
