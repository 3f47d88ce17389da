/** Foreword inside another program: `createForeword` opens a gateway over a home, with the capabilities that come with it. */
export { builtIn } from './foreword/built-in.ts'
export { createForeword, type Foreword, type ForewordOptions } from './foreword/create-foreword.ts'
export {
  type AnyCapability,
  type Capability,
  capability,
  type CapabilityHost,
  type Channel,
  type Command,
  type LayerContext,
  type Route,
  route,
  type Self,
  type ServiceKey,
  serviceKey,
  type SessionChoice,
} from './capability.ts'
export { type Layer, type Layout, layout, type LayoutDefinition } from './context.ts'
export { languageModel, type Model, provider, type Provider } from './model.ts'
export type { CapabilityModule, CapabilitySetting, Runtime } from './runtime.ts'
export { type Tool, tool } from './tool.ts'
