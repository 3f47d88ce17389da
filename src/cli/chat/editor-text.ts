import { stripVTControlCharacters } from 'node:util'

/** Stands for a tab in the editor, whose library would turn it into blanks. A noncharacter of Unicode, which no text may hold. */
const TAB = '\uFDD0'

/**
 * Pasted text as the editor takes it: without terminal sequences and control characters, lines ended by `\n`, every tab kept.
 * Some terminals write control characters of a paste as keys with Ctrl (`ESC [ 106 ; 5 u`); those are read back first.
 */
export function toEditor(pasted: string): string {
  const decoded = pasted.replaceAll(CONTROL_KEY, (_key, code) => String.fromCodePoint(Number(code) & 0x1f))
  return stripVTControlCharacters(decoded)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(CONTROLS, '')
    .replaceAll(TAB, '')
    .replaceAll('\t', TAB)
}

/** What is sent of the editor's text. */
export function fromEditor(text: string): string {
  return text.replaceAll(TAB, '\t')
}

/** A rendered line of the editor: a tab is one visible sign, so that it differs from blanks. */
export function showTabs(line: string): string {
  return line.replaceAll(TAB, '⇥')
}

// oxlint-disable-next-line no-control-regex -- these are the characters that are taken out
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g
// oxlint-disable-next-line no-control-regex -- the escape sequence of a key
const CONTROL_KEY = /\u001B\[(6[5-9]|[78]\d|90|9[7-9]|1[01]\d|12[0-2]);5u/g
