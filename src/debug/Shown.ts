/** The value with its paths as a model is shown them (SPEC §11). */
import type * as Values from "./Values.ts"

type Show = (path: string) => string

const placed = <A extends { readonly path?: string }>(value: A, show: Show): A =>
  value.path === undefined ? value : { ...value, path: show(value.path) }

const eachPlaced = <A extends { readonly path?: string }>(values: ReadonlyArray<A>, show: Show): ReadonlyArray<A> =>
  values.map((value) => placed(value, show))

const stop = (value: Values.Stop, show: Show): Values.Stop => ({
  ...placed(value, show),
  ...(value.frame === undefined ? {} : { frame: placed(value.frame, show) }),
  ...(value.top === undefined ? {} : { top: placed(value.top, show) })
})

export const value = (of: Values.Value, show: Show): Values.Value => ({
  ...of,
  ...(of.stop === undefined ? {} : { stop: stop(of.stop, show) }),
  ...(of.frames === undefined ? {} : { frames: eachPlaced(of.frames, show) }),
  ...(of.breakpoints === undefined ? {} : { breakpoints: eachPlaced(of.breakpoints, show) }),
  ...(of.unbound === undefined ? {} : { unbound: eachPlaced(of.unbound, show) }),
  ...(of.adapters === undefined
    ? {}
    : {
        adapters: of.adapters.map((adapter) => ({
          ...adapter,
          ...(adapter.marker === undefined ? {} : { marker: show(adapter.marker) }),
          ...(adapter.binary === undefined ? {} : { binary: show(adapter.binary) })
        }))
      })
})
