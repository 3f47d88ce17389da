/**
 * What capabilities and their hosts do their work with. It is an entry point of its own because it loads the core: a module
 * that only declares a capability imports `foreword/capability`, and imports this one when it works.
 */
export { confinedPath, pathInput, readerWithin, resolvedPath } from './confined-path.ts'
export { isKeptElsewhere } from './hard-links.ts'
export { summaryByModel } from './model-summary.ts'
export { noPrompt } from './own-layers.ts'
export { type PinnedFile, pinnedFile } from './pinned-file.ts'
export { pluginAsCapability } from './plugin.ts'
export { startCapabilities } from './start-capabilities.ts'
export { fittingPage, PAGE_CHARS, textPage } from './text-page.ts'
