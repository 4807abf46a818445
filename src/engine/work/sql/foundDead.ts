/**
 * SQL: whether nobody has found a dispatcher dead. Whoever does so writes `infinity` for when its beating began. Such a row stays
 * until nothing is leased to it any more; it takes no lease, and no late beat brings it back.
 */
export const isNotFoundDead = "started_at < 'infinity'";
