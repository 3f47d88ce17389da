/** Builds the page with this Node unless it is up to date. Throws where the build fails. */
export function buildPage(node?: string): void
