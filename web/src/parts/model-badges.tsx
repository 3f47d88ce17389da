import type { ReactNode } from 'react'
import type { ModelList } from '../api/resources.ts'
import { t } from '../language/language.ts'

type Model = Pick<ModelList['models'][number], 'window' | 'facts'>

/** What a model can do, a badge for each: its window, images, sound, tools, reasoning. */
export function ModelBadges({ model }: { readonly model: Model }): ReactNode {
  const { window } = model
  return (
    <span className="mt-0.5 flex flex-wrap gap-1">
      {[window === undefined ? t`window not known` : t`${window} tokens`, ...abilities(model)].map((badge) => (
        <span key={badge} className="rounded bg-sunken px-1.5 text-xs whitespace-nowrap text-soft">
          {badge}
        </span>
      ))}
    </span>
  )
}

/** `images`, `sound`, `tools`, `reasoning`. */
export function abilities({ facts }: Model): readonly string[] {
  return [
    ...(facts?.vision ? [t`images`] : []),
    ...(facts?.audio ? [t`sound`] : []),
    ...(facts?.tools ? [t`tools`] : []),
    ...(facts?.reasoning ? [t`reasoning`] : []),
  ]
}
