import type { MemoryReading } from '../../capability.ts'

/** Sessions whose words stand in a layer of the plugin `memory`. */
export function sessionsIn({ previous, tools }: MemoryReading, layer: string): readonly string[] {
  const parts = { memory: [previous, tools], 'previous-session': [previous], 'tool-history': [tools] }
  const held = Object.hasOwn(parts, layer) ? parts[layer as keyof typeof parts] : []
  return [...new Set(held.flatMap((part) => part?.sessions ?? []))]
}
