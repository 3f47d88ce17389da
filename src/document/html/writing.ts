import type { PageNode } from './parsed-page.ts'

/** How a page is being written down. */
export interface Writing {
  /** What relative links are relative to; they stay as they are where nobody knows. */
  readonly base: string | undefined
  /** Elements with block elements somewhere below. */
  readonly holdBlocks: ReadonlySet<PageNode>
  /** Elements with tables somewhere below. */
  readonly holdTables: ReadonlySet<PageNode>
}

/** Deeper parts are written as plain lines: nobody nests like that, and recursion has an end. */
export const mostDepth = 200
