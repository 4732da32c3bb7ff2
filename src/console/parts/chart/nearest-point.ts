/** Returns the point that is nearest to a time, or undefined without points. */
export function nearestPoint<P extends { readonly at: number }>(
  points: readonly P[],
  at: number,
): P | undefined {
  return points.reduce<P | undefined>(
    (nearest, point) =>
      nearest === undefined || Math.abs(point.at - at) < Math.abs(nearest.at - at)
        ? point
        : nearest,
    undefined,
  )
}
