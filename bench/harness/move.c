#include "move.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { PAGE = 4096 };

bool copy_blocks(void *user)
{
    const blocks *b = user;
    memcpy(b->to, b->from, b->bytes);
    return true;
}

/* A page is too little for memcpy to go past the cache. */
bool copy_through_cache(void *user)
{
    const blocks *b = user;
    for (size_t i = 0; i < b->bytes; i += PAGE)
        memcpy(b->to + i, b->from + i, PAGE);
    return true;
}

/* Nothing of `to` is read before it is written. */
bool copy_past_cache(void *user)
{
#ifdef __x86_64__
    const blocks *b = user;
    for (size_t i = 0; i < b->bytes; i += 16)
        _mm_stream_si128((__m128i *)(void *)(b->to + i),
                         _mm_load_si128((const __m128i *)(const void *)(b->from + i)));
    _mm_sfence();
    return true;
#else
    return copy_blocks(user);
#endif
}
