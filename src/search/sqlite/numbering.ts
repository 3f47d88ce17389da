/** How many pieces or chunks a document may have. */
export const PER_DOCUMENT = 2 ** 20

/** The number of a document's nth chunk or piece: the document can be read from it without looking it up. */
export function numberOf(document: number, ordinal: number): number {
  return document * PER_DOCUMENT + ordinal
}

export function documentOf(number: number): number {
  return Math.floor(number / PER_DOCUMENT)
}

/** The first and the last number that a document may use. */
export function numbersOf(document: number): readonly [first: number, last: number] {
  return [numberOf(document, 0), numberOf(document, PER_DOCUMENT - 1)]
}
