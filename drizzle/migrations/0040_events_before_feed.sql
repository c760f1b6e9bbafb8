-- Events from before the feed stay in the delivery log. A migration does not move rows.
SELECT 1;
