import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from 'react'
import { findItems, type PaletteGroup } from './palette-search.ts'

/** A field and what its letters find. The focus stays in the field; arrow keys move the mark, round and round. */
export function PaletteList({ groups }: { readonly groups: readonly PaletteGroup[] }): ReactNode {
  const id = useId()
  const [letters, setLetters] = useState('')
  const [marked, setMarked] = useState<string>()
  const found = useMemo(() => findItems(groups, letters), [groups, letters])
  const items = found.flatMap((group) => group.items)
  const at = Math.max(
    0,
    items.findIndex((item) => item.id === marked),
  )

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || items.length === 0) return
    const { length } = items
    const target = { ArrowDown: (at + 1) % length, ArrowUp: at - 1, Home: 0, End: -1 }
    if (event.key === 'Enter') items[at]!.run()
    else if (Object.hasOwn(target, event.key)) setMarked(items.at(target[event.key as keyof typeof target])!.id)
    else return
    event.preventDefault()
  }

  return (
    <>
      <input
        ref={focusFirst}
        role="combobox"
        aria-label="Command palette"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={items.length === 0 ? undefined : `${id}-${at}`}
        autoComplete="off"
        spellCheck={false}
        value={letters}
        placeholder="Type to search"
        className="mb-2 w-full rounded-lg border border-strong-line bg-ground px-3 py-1.5"
        onChange={(event) => {
          setLetters(event.target.value)
          setMarked(undefined)
        }}
        onKeyDown={onKeyDown}
      />
      {items.length === 0 && (
        <p role="status" className="p-3 text-sm text-soft">
          Nothing is called so.
        </p>
      )}
      {/* As high with little in it: the field that one types into stays where it is. */}
      <div id={id} role="listbox" aria-label="Found" className="h-[55vh] overflow-y-auto">
        {found.map(({ title, items: own }, index) => (
          <div key={title} role="group" aria-labelledby={`${id}-group-${index}`}>
            <p id={`${id}-group-${index}`} className="px-2 pt-2 text-xs text-soft">
              {title}
            </p>
            {own.map((item) => {
              const place = items.indexOf(item)
              return (
                <div
                  key={item.id}
                  id={`${id}-${place}`}
                  role="option"
                  aria-selected={place === at}
                  ref={place === at ? showMarked : undefined}
                  className="flex cursor-pointer flex-wrap gap-x-2 rounded px-2 py-1.5 text-sm aria-selected:bg-line"
                  onPointerMove={() => setMarked(item.id)}
                  onClick={() => item.run()}
                >
                  <bdi className="min-w-0">{item.title}</bdi>
                  {item.about !== undefined && <span className="text-soft">{item.about}</span>}
                </div>
              )
            })}
          </div>
        ))}
      </div>
    </>
  )
}

/** The dialog gives its focus to the element with this attribute, which React itself does not set. */
function focusFirst(element: HTMLInputElement | null): void {
  element?.setAttribute('autofocus', '')
}

function showMarked(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
