import { createAsked } from './asked.ts'

/** The window over the page that any part of it may open: one at a time. */
export const { ask: openOverlay, useAsked: useOverlay } = createAsked<'palette' | 'keys'>()
