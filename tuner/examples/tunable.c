/* A small UCI engine whose evaluation smalt-tuner fits: material, piece-square tables, an attack on the king bent by a curve, and
 * a tempo. What stands between the markers is written by the tuner; the command `trace` (see
 * docs/trace-protocol.md) is what it asks for. All else is as plain as an engine can be.
 *
 *   cc -O2 -o tunable tunable.c
 *   smalt-tuner texel positions.bin --engine ./tunable --write=tunable.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, NONE };
enum { WHITE, BLACK };

/* Values are pairs: middlegame, endgame. */
#define S(mg, eg) { mg, eg }

static const int material[5][2] = {
    // smalt:begin material (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
    S(68, 186), S(329, 416), S(363, 443), S(412, 756), S(891, 1369),
    // smalt:end material
};

/* As the owner sees the board: a8 to h8 first. */
static const int psqt[6][64][2] = {
    {
        // smalt:begin psqt.pawn (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        S(   0,    0), S(   0,    0), S(   0,    0), S(   0,    0), S(   0,    0), S(   0,    0), S(   0,    0), S(   0,    0),
        S(  23,  227), S(  70,  152), S(  20,  197), S(  57,  156), S(  34,   73), S(   9,  129), S(  19,  147), S(  48,  144),
        S( -18,   74), S(  83,   30), S( -18,   52), S(  71,    8), S(  32,   11), S(  34,  -12), S(  34,   43), S(   3,   -7),
        S( -29,  -17), S( -12,   -9), S( -17,  -24), S(   5,  -51), S(  13,  -29), S(  52,  -36), S(  41,   -4), S(   1,  -57),
        S( -58,  -31), S(  -9,  -23), S( -22,  -49), S(  -1,  -46), S(   3,  -46), S(   1,  -45), S(  41,  -28), S( -19,  -58),
        S( -55,  -55), S( -44,  -41), S( -28,  -46), S( -14,  -44), S( -10,  -47), S( -21,  -33), S(  25,  -46), S( -26,  -58),
        S( -72,  -12), S( -56,  -24), S( -43,  -42), S( -27,  -34), S( -40,  -80), S(  -2,  -26), S(  20,  -48), S( -29,  -47),
        S(   0,    0), S(   0,    0), S(   0,    0), S(   0,    0), S(   0,    0), S(   0,    0), S(   0,    0), S(   0,    0),
        // smalt:end psqt.pawn
    },
    {
        // smalt:begin psqt.knight (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        S(  -8,  -32), S(   0,   -5), S(   1,    0), S(   2,   11), S(   4,    7), S(  -3,    8), S(  -1,   -6), S(   9,   -3),
        S(  35,   -1), S(  23,   51), S(  71,   15), S(  30,   28), S(  10,   26), S(   9,   -3), S(  -3,   -6), S(  -6,  -24),
        S(  49,    9), S( 103,   21), S(  52,   23), S(  87,   36), S(  78,   65), S(  14,   33), S(  52,   41), S(   8,    1),
        S(  31,   12), S(  34,  -30), S(  44,   53), S(  43,   30), S(  20,   39), S(  64,   55), S( -18,   21), S( -14,    6),
        S( -12,  -31), S(   4,   12), S(  26,   45), S(  -5,   31), S( -15,   77), S(  51,    4), S(  16,   25), S(  -6,   -1),
        S( -21,  -15), S( -22,    4), S(  -5,   12), S( -18,   30), S(   6,   39), S(  -9,   -1), S( -19,   10), S( -18,  -16),
        S( -31,  -31), S( -43,  -19), S( -34,   12), S( -13,   22), S( -13,  -44), S(   1,  -17), S( -58,    8), S( -12,   15),
        S( -12,  -30), S( -22,  -25), S( -94,  -48), S( -47,  -17), S( -16,  -21), S( -10,  -12), S( -25,  -63), S( -16,  -19),
        // smalt:end psqt.knight
    },
    {
        // smalt:begin psqt.bishop (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        S( -13,   -6), S(   7,   13), S(   6,    9), S(  -5,   -9), S(   0,   12), S(  -5,   -5), S(   3,   21), S( -20,   -3),
        S( -12,    9), S(   6,   28), S(  44,   40), S(  -5,   19), S(  37,   -9), S(  -6,   15), S(   4,    3), S(   1,    4),
        S( -28,   -3), S(  23,    7), S(   2,   34), S(  92,   21), S(  39,    9), S(  29,   32), S(  40,   28), S(  75,   11),
        S( -27,    3), S(  -6,   63), S(  11,    1), S(  58,   18), S(  16,   47), S(  61,   11), S(  15,   -6), S(  27,   15),
        S( -73,   -4), S( -60,   34), S(  13,   41), S( -21,   58), S(  25,   25), S(  14,  -15), S(  21,   -7), S( -12,  -41),
        S(  31,   -4), S(  -2,   15), S(   3,   51), S(   1,   -5), S(  -4,   26), S( -19,   33), S(   5,  -15), S(  25,  -11),
        S(  36,  -25), S(  11,  -26), S(   2,    2), S( -33,   13), S( -13,   43), S(  -4,   -7), S(  21,    5), S(  11,  -37),
        S(  19,    1), S(  34,  -22), S(   2,  -71), S( -49,   -6), S( -26,   12), S( -24,  -46), S( -17,  -13), S( -22,    9),
        // smalt:end psqt.bishop
    },
    {
        // smalt:begin psqt.rook (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        S(   8,   11), S(  28,   26), S(   1,   40), S(  34,   50), S(  18,   55), S(  21,   54), S(   6,    6), S(  17,   38),
        S(  42,   10), S(  23,    3), S(  37,   37), S(  11,   43), S(  19,   49), S(  31,   53), S(  23,   22), S(  28,   17),
        S( -12,   14), S(  56,   29), S(  -4,   32), S(  25,   35), S(  25,   12), S(  28,   16), S(  12,   32), S(  21,   25),
        S(  19,    8), S(   3,   30), S(  35,   22), S(  22,   29), S(  43,   10), S(  33,   13), S(   4,    7), S(  13,  -11),
        S( -45,   14), S(  10,   45), S(  13,   13), S( -27,   24), S( -51,   -3), S( -27,   -7), S(  35,  -12), S( -39,  -10),
        S(  17,  -11), S(   1,   14), S(  -3,   12), S( -14,    2), S( -33,   27), S( -15,  -18), S(   4,   -5), S(  54,  -33),
        S( -39,   18), S( -30,    5), S(   4,    4), S( -40,    8), S( -35,    1), S(   7,  -25), S(  38,    0), S(  -8,  -10),
        S( -21,    9), S(   0,  -14), S(  -2,    5), S(  -3,   -5), S( -14,   -7), S( -17,  -14), S(  54,  -52), S( -33,  -33),
        // smalt:end psqt.rook
    },
    {
        // smalt:begin psqt.queen (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        S(  -1,    9), S(  16,   35), S(  -1,   16), S(  22,   28), S(   9,   12), S(  22,   32), S(  16,   12), S(  34,   51),
        S(  29,   28), S(  37,   46), S(   9,   18), S(  20,   34), S(  18,   33), S(  30,   35), S(  31,   41), S(  24,   20),
        S(  46,   23), S(  36,   35), S(  46,   40), S(  41,   35), S(  46,   55), S(  32,   28), S(  45,   25), S(  32,   28),
        S(   9,   24), S(  10,   51), S(  24,   54), S(  36,   73), S(  28,   52), S(  16,   32), S(  43,   36), S(  48,   16),
        S(   9,   13), S( -20,   18), S(  11,   47), S(  -4,   52), S(  13,   24), S(  10,   29), S(  32,   26), S(  -2,   22),
        S( -15,    9), S(   2,   44), S( -17,   44), S(  -6,   31), S( -17,   39), S(  -5,   33), S(  12,   -2), S(  32,    2),
        S(  25,   15), S( -25,   -3), S(   7,  -14), S(   4,  -23), S(  12,  -33), S(  19,   14), S(  38,   -8), S(   7,    2),
        S( -16,   13), S( -24,   10), S(  -8,   12), S(   7,  -53), S(  -6,   -7), S( -64,  -29), S(  19,   -6), S(   2,   -6),
        // smalt:end psqt.queen
    },
    {
        // smalt:begin psqt.king (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        S(  -1,   -3), S(   4,   19), S(   3,   20), S(  -2,   -7), S(  -5,  -28), S(   4,   25), S(   2,    8), S(  -4,  -27),
        S(  -1,  -10), S(  16,   47), S(   5,   49), S(   5,   32), S(   0,   12), S(   3,   22), S(   6,   46), S(   5,  -22),
        S(   3,  -11), S(   7,   48), S(   5,   29), S(   4,   41), S(  -7,   15), S(   3,   49), S(   6,   43), S(  -1,    0),
        S(   3,    1), S(   5,   19), S(   3,   49), S(   3,    4), S(  -2,   14), S(  -4,  -17), S(  14,   37), S(   6,   15),
        S(  27,  -16), S(   3,   -2), S(   4,   15), S(  -4,    3), S(  -3,    5), S( -16,    6), S(   3,    9), S( -28,  -35),
        S(  -8,  -40), S(   0,    2), S( -31,   15), S(  -7,    5), S( -22,    3), S( -33,    7), S(  12,  -17), S( -29,  -25),
        S(  14,  -12), S(  51,  -22), S( -30,   21), S( -29,    2), S(  31,  -10), S( -29,   -3), S(   6,  -19), S(   3,  -30),
        S( -21,  -35), S(  39,  -29), S(  56,  -48), S( -35,  -62), S(  29,  -74), S( -63,  -24), S(   8,  -44), S(  13,  -71),
        // smalt:end psqt.king
    },
};

/* Units for each square next to the enemy king that a knight, bishop, rook or queen attacks. */
static const int attack[4][2] = {
    // smalt:begin safety (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
    S(47, 10), S(71, 11), S(40, 8), S(50, 42),
    // smalt:end safety
};

static const int tempo = /* smalt:begin tempo (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956) */ 20 /* smalt:end tempo */;

/* ---- the board: 16 columns, of which 8 are used, so that (square & 0x88) is set off the board ---- */

typedef struct {
    signed char type[128], color[128];
    int side, castling, passing, clock, king[2];
} Position;

typedef struct {
    unsigned char from, to, promotion, flag;
} Move;

enum { WHITE_SHORT = 1, WHITE_LONG = 2, BLACK_SHORT = 4, BLACK_LONG = 8 };
enum { QUIET, CAPTURE, EN_PASSANT, CASTLE, DOUBLE };

static const int knight_steps[8] = { 33, 31, 18, 14, -33, -31, -18, -14 };
static const int king_steps[8] = { 16, -16, 1, -1, 17, 15, -15, -17 };

#define OFF(square) ((square) & 0x88)

static int parse_fen(Position *p, const char *fen) {
    static const char letters[] = "pnbrqk";
    int square = 0x70;
    memset(p, 0, sizeof *p);
    memset(p->type, NONE, sizeof p->type);
    p->king[0] = p->king[1] = -1;
    for (; *fen && *fen != ' '; fen++) {
        if (*fen == '/') square = (square & 0x70) - 16;
        else if (*fen >= '1' && *fen <= '8') square += *fen - '0';
        else {
            const char *letter = strchr(letters, *fen | 32);
            if (!letter || OFF(square) || square < 0) return 0;
            p->type[square] = (signed char)(letter - letters);
            p->color[square] = *fen & 32 ? BLACK : WHITE;
            if (p->type[square] == KING) p->king[(int)p->color[square]] = square;
            square++;
        }
    }
    char side = 'w', castling[8] = "-", passing[4] = "-";
    sscanf(fen, " %c %7s %3s %d", &side, castling, passing, &p->clock);
    p->side = side == 'b';
    if (strchr(castling, 'K')) p->castling |= WHITE_SHORT;
    if (strchr(castling, 'Q')) p->castling |= WHITE_LONG;
    if (strchr(castling, 'k')) p->castling |= BLACK_SHORT;
    if (strchr(castling, 'q')) p->castling |= BLACK_LONG;
    p->passing = passing[0] == '-' ? -1 : (passing[1] - '1') * 16 + passing[0] - 'a';
    return p->king[0] >= 0 && p->king[1] >= 0;
}

static int is_slider(int type, int step) {
    int is_straight = step == 16 || step == -16 || step == 1 || step == -1;
    return type == QUEEN || type == (is_straight ? ROOK : BISHOP);
}

static int is_attacked(const Position *p, int square, int by) {
    for (int i = 0; i < 8; i++) {
        int from = square + knight_steps[i];
        if (!OFF(from) && p->type[from] == KNIGHT && p->color[from] == by) return 1;
        int step = king_steps[i];
        from = square + step;
        if (!OFF(from) && p->type[from] == KING && p->color[from] == by) return 1;
        while (!OFF(from) && p->type[from] == NONE) from += step;
        if (!OFF(from) && p->color[from] == by && is_slider(p->type[from], step)) return 1;
    }
    int back = by == WHITE ? -16 : 16;
    for (int side = -1; side <= 1; side += 2) {
        int from = square + back + side;
        if (!OFF(from) && p->type[from] == PAWN && p->color[from] == by) return 1;
    }
    return 0;
}

/* ---- the evaluation, and its trace ---- */

enum { MATERIAL = 0, PSQT = 5, ATTACK = PSQT + 6 * 64, TEMPO = ATTACK + 4, PARAMETERS };
enum { PHASES = 24, CURVE = 512 };

/* What the last evaluation counted, White less Black, and the units of each attacker by side. */
static int is_tracing, linear[PARAMETERS], attacked[2][4], last_phase;

static int is_near(int a, int b) {
    int files = abs((a & 7) - (b & 7)), ranks = abs((a >> 4) - (b >> 4));
    return files <= 1 && ranks <= 1 && a != b;
}

/* How many squares next to the enemy king the piece attacks. */
static int attacks_near_king(const Position *p, int from) {
    int type = p->type[from], king = p->king[!p->color[from]], count = 0;
    for (int i = 0; i < 8; i++) {
        if (type == KNIGHT) {
            int to = from + knight_steps[i];
            count += !OFF(to) && is_near(to, king);
        } else if (is_slider(type, king_steps[i])) {
            for (int to = from + king_steps[i]; !OFF(to); to += king_steps[i]) {
                count += is_near(to, king);
                if (p->type[to] != NONE) break;
            }
        }
    }
    return count;
}

static int curve(int units) { return units > 0 ? units * units / CURVE : 0; }

/* Centipawns, the view of the side to move. */
static int evaluate(const Position *p) {
    static const int phases[6] = { 0, 1, 1, 2, 4, 0 };
    int score[2] = { 0, 0 }, units[2][2] = { { 0, 0 }, { 0, 0 } }, phase = 0;
    if (is_tracing) {
        memset(linear, 0, sizeof linear);
        memset(attacked, 0, sizeof attacked);
    }
    for (int square = 0; square < 128; square++) {
        if (OFF(square) || p->type[square] == NONE) continue;
        int type = p->type[square], color = p->color[square], sign = color == WHITE ? 1 : -1;
        int rank = color == WHITE ? 7 - (square >> 4) : square >> 4, place = rank * 8 + (square & 7);
        phase += phases[type];
        for (int half = 0; half < 2; half++) {
            if (type != KING) score[half] += sign * material[type][half];
            score[half] += sign * psqt[type][place][half];
        }
        if (is_tracing) {
            if (type != KING) linear[MATERIAL + type] += sign;
            linear[PSQT + type * 64 + place] += sign;
        }
        if (type >= KNIGHT && type <= QUEEN) {
            int count = attacks_near_king(p, square);
            units[color][0] += count * attack[type - KNIGHT][0];
            units[color][1] += count * attack[type - KNIGHT][1];
            if (is_tracing) attacked[color][type - KNIGHT] += count;
        }
    }
    if (phase > PHASES) phase = PHASES;
    for (int half = 0; half < 2; half++) score[half] += curve(units[WHITE][half]) - curve(units[BLACK][half]);
    int white = (score[0] * phase + score[1] * (PHASES - phase)) / PHASES;
    if (is_tracing) {
        linear[TEMPO] = p->side == WHITE ? 1 : -1;
        last_phase = phase;
    }
    return (p->side == WHITE ? white : -white) + tempo;
}

static void trace_header(void) {
    static const char *names[] = { "pawn", "knight", "bishop", "rook", "queen", "king" };
    printf("trace version 1\ntrace phase %d\ntrace curve attack quadratic %d\n", PHASES, CURVE);
    for (int i = 0; i < 5; i++) printf("trace parameter material.%s %d %d\n", names[i], material[i][0], material[i][1]);
    for (int i = 0; i < 6 * 64; i++)
        printf("trace parameter psqt.%s[%d] %d %d\n", names[i / 64], i % 64, psqt[i / 64][i % 64][0], psqt[i / 64][i % 64][1]);
    for (int i = 0; i < 4; i++)
        printf("trace parameter safety.%s %d %d curve=attack min=0\n", names[i + 1], attack[i][0], attack[i][1]);
    printf("trace parameter tempo %d\ntrace ready\n", tempo);
}

static void trace_position(const char *fen) {
    Position p;
    if (!parse_fen(&p, fen)) {
        printf("trace skip\n");
        return;
    }
    is_tracing = 1;
    int score = evaluate(&p);
    is_tracing = 0;
    printf("trace score %d phase %d", p.side == WHITE ? score : -score, last_phase);
    for (int i = 0; i < PARAMETERS; i++)
        if (linear[i]) printf(" %d:%d", i, linear[i]);
    for (int color = WHITE; color <= BLACK; color++) {
        printf(color == WHITE ? " white" : " black");
        for (int i = 0; i < 4; i++)
            if (attacked[color][i]) printf(" %d:%d", ATTACK + i, attacked[color][i]);
    }
    printf("\n");
}

/* ---- moves ---- */

static int add(Move *moves, int count, int from, int to, int promotion, int flag) {
    moves[count] = (Move){ (unsigned char)from, (unsigned char)to, (unsigned char)promotion, (unsigned char)flag };
    return count + 1;
}

static int add_pawn(Move *moves, int count, int from, int to, int flag) {
    if (to >> 4 == 0 || to >> 4 == 7) {
        for (int type = QUEEN; type >= KNIGHT; type--) count = add(moves, count, from, to, type, flag);
        return count;
    }
    return add(moves, count, from, to, NONE, flag);
}

/* Moves that may leave the king in check; only captures and queen promotions if asked. */
static int generate(const Position *p, Move *moves, int noisy_only) {
    int count = 0, us = p->side, forward = us == WHITE ? 16 : -16;
    for (int from = 0; from < 128; from++) {
        if (OFF(from) || p->type[from] == NONE || p->color[from] != us) continue;
        int type = p->type[from];
        if (type == PAWN) {
            int to = from + forward;
            if (p->type[to] == NONE && (!noisy_only || to >> 4 == 0 || to >> 4 == 7)) {
                count = add_pawn(moves, count, from, to, QUIET);
                if (from >> 4 == (us == WHITE ? 1 : 6) && p->type[to + forward] == NONE)
                    count = add(moves, count, from, to + forward, NONE, DOUBLE);
            }
            for (int side = -1; side <= 1; side += 2) {
                to = from + forward + side;
                if (OFF(to)) continue;
                if (p->type[to] != NONE && p->color[to] != us) count = add_pawn(moves, count, from, to, CAPTURE);
                else if (to == p->passing) count = add(moves, count, from, to, NONE, EN_PASSANT);
            }
            continue;
        }
        for (int i = 0; i < 8; i++) {
            int step = type == KNIGHT ? knight_steps[i] : king_steps[i];
            if (type != KNIGHT && type != KING && !is_slider(type, step)) continue;
            for (int to = from + step; !OFF(to); to += step) {
                if (p->type[to] == NONE) {
                    if (!noisy_only) count = add(moves, count, from, to, NONE, QUIET);
                } else {
                    if (p->color[to] != us) count = add(moves, count, from, to, NONE, CAPTURE);
                    break;
                }
                if (type == KNIGHT || type == KING) break;
            }
        }
    }
    int king = p->king[us], rights = us == WHITE ? p->castling : p->castling >> 2;
    if (!noisy_only && rights & 3 && !is_attacked(p, king, !us)) {
        if (rights & 1 && p->type[king + 1] == NONE && p->type[king + 2] == NONE && !is_attacked(p, king + 1, !us))
            count = add(moves, count, king, king + 2, NONE, CASTLE);
        if (rights & 2 && p->type[king - 1] == NONE && p->type[king - 2] == NONE && p->type[king - 3] == NONE &&
            !is_attacked(p, king - 1, !us))
            count = add(moves, count, king, king - 2, NONE, CASTLE);
    }
    return count;
}

static void put(Position *p, int from, int to) {
    p->type[to] = p->type[from];
    p->color[to] = p->color[from];
    p->type[from] = NONE;
}

static int right_of(int square) {
    return square == 4 ? 3 : square == 0x74 ? 12 : square == 7 ? 1 : square == 0 ? 2 : square == 0x77 ? 4 : square == 0x70 ? 8 : 0;
}

/* False if the king could be taken. */
static int play(Position *p, Move m) {
    int us = p->side, is_pawn = p->type[m.from] == PAWN;
    p->clock = is_pawn || m.flag == CAPTURE ? 0 : p->clock + 1;
    put(p, m.from, m.to);
    if (m.promotion != NONE) p->type[m.to] = (signed char)m.promotion;
    if (m.flag == EN_PASSANT) p->type[m.to + (us == WHITE ? -16 : 16)] = NONE;
    if (m.flag == CASTLE) put(p, m.to > m.from ? m.to + 1 : m.to - 2, m.to > m.from ? m.to - 1 : m.to + 1);
    if (p->type[m.to] == KING) p->king[us] = m.to;
    p->castling &= ~(right_of(m.from) | right_of(m.to));
    p->passing = m.flag == DOUBLE ? (m.from + m.to) / 2 : -1;
    p->side = !us;
    return !is_attacked(p, p->king[us], !us);
}

/* ---- the search: alpha-beta with quiescence, killers, null move and late move reductions ---- */

enum { MATE = 30000, PLIES = 100 };
static unsigned long long keys[1024];
static int key_count;
static long long nodes, node_limit;
static clock_t deadline;
static int is_stopped, history[2][128][128];
static Move killers[PLIES], best_move;

static unsigned long long key_of(const Position *p) {
    unsigned long long key = 14695981039346656037ULL ^ (unsigned)(p->side | p->castling << 1 | (p->passing & 255) << 5);
    for (int square = 0; square < 128; square++)
        if (!OFF(square)) key = (key ^ (unsigned)(p->type[square] | p->color[square] << 3)) * 1099511628211ULL;
    return key;
}

static int is_same(Move a, Move b) { return a.from == b.from && a.to == b.to && a.promotion == b.promotion; }

static int out_of_time(void) {
    if (node_limit && nodes >= node_limit) is_stopped = 1;
    if (deadline && (nodes & 255) == 0 && clock() >= deadline) is_stopped = 1;
    return is_stopped;
}

static Move pick(const Position *p, Move *moves, int count, int at, int ply, Move first) {
    int best = at, best_rank = -1;
    for (int i = at; i < count; i++) {
        Move m = moves[i];
        int rank = history[p->side][m.from][m.to];
        if (is_same(m, first)) rank = 1 << 30;
        else if (m.flag == CAPTURE) rank = (1 << 28) + p->type[m.to] * 16 - p->type[m.from];
        else if (m.promotion == QUEEN) rank = (1 << 28) + 100;
        else if (is_same(m, killers[ply])) rank = 1 << 27;
        if (rank > best_rank) best = i, best_rank = rank;
    }
    Move chosen = moves[best];
    moves[best] = moves[at];
    return chosen;
}

static int quiesce(const Position *p, int alpha, int beta, int ply) {
    nodes++;
    int score = evaluate(p);
    if (score >= beta || ply >= PLIES - 1 || out_of_time()) return score;
    if (score > alpha) alpha = score;
    Move moves[256], none = { 0, 0, 0, 0 };
    int count = generate(p, moves, 1);
    for (int i = 0; i < count; i++) {
        Move m = pick(p, moves, count, i, ply, none);
        Position next = *p;
        if (!play(&next, m)) continue;
        int value = -quiesce(&next, -beta, -alpha, ply + 1);
        if (is_stopped) return alpha;
        if (value > score) score = value;
        if (score > alpha) alpha = score;
        if (alpha >= beta) break;
    }
    return score;
}

static int search(const Position *p, int depth, int alpha, int beta, int ply, int may_pass) {
    int is_check = is_attacked(p, p->king[p->side], !p->side);
    if (is_check) depth++;
    if (depth <= 0) return quiesce(p, alpha, beta, ply);
    if (ply >= PLIES - 1) return evaluate(p);
    nodes++;
    if (ply && out_of_time()) return 0;
    unsigned long long key = key_of(p);
    if (ply) {
        if (p->clock >= 100) return 0;
        for (int i = key_count - 2; i >= 0 && i >= key_count - p->clock; i -= 2)
            if (keys[i] == key) return 0;
        if (may_pass && depth > 2 && !is_check && beta < MATE - PLIES && evaluate(p) >= beta) {
            Position next = *p;
            next.side = !next.side;
            next.passing = -1;
            keys[key_count++] = key;
            int value = -search(&next, depth - 3, -beta, 1 - beta, ply + 1, 0);
            key_count--;
            if (is_stopped) return 0;
            if (value >= beta) return beta;
        }
    }
    Move moves[256], none = { 0, 0, 0, 0 };
    int count = generate(p, moves, 0), played = 0, best = -MATE + ply;
    keys[key_count++] = key;
    for (int i = 0; i < count; i++) {
        Move m = pick(p, moves, count, i, ply, ply ? none : best_move);
        Position next = *p;
        if (!play(&next, m)) continue;
        int is_quiet = m.flag != CAPTURE && m.promotion == NONE, value = alpha + 1;
        int reduction = depth > 2 && played > 3 && is_quiet && !is_check ? 1 + (played > 12) : 0;
        if (played) value = -search(&next, depth - 1 - reduction, -alpha - 1, -alpha, ply + 1, 1);
        if (value > alpha) value = -search(&next, depth - 1, -beta, -alpha, ply + 1, 1);
        if (is_stopped) break;
        played++;
        if (value > best || played == 1) {
            best = value;
            if (!ply) best_move = m;
        }
        if (best > alpha) alpha = best;
        if (alpha >= beta) {
            if (is_quiet) {
                killers[ply] = m;
                history[p->side][m.from][m.to] += depth * depth;
            }
            break;
        }
    }
    key_count--;
    if (!played && !is_stopped) return is_check ? -MATE + ply : 0;
    return best;
}

/* ---- UCI ---- */

static void name_of(Move m, char *text) {
    sprintf(text, "%c%c%c%c", 'a' + (m.from & 7), '1' + (m.from >> 4), 'a' + (m.to & 7), '1' + (m.to >> 4));
    if (m.promotion != NONE) sprintf(text + 4, "%c", "pnbrqk"[m.promotion]);
}

static void set_position(Position *p, char *line) {
    char *moves = strstr(line, " moves "), *fen = strstr(line, "fen ");
    parse_fen(p, fen ? fen + 4 : "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    key_count = 0;
    for (char *word = moves ? strtok(moves + 7, " \n") : NULL; word; word = strtok(NULL, " \n")) {
        Move all[256];
        int count = generate(p, all, 0);
        for (int i = 0; i < count; i++) {
            char text[8];
            name_of(all[i], text);
            if (strcmp(text, word)) continue;
            if (key_count > 800) key_count = 0;
            keys[key_count++] = key_of(p);
            play(p, all[i]);
            break;
        }
    }
}

/* A legal move; of none, from and to are equal. */
static Move first_move(const Position *p) {
    Move moves[256], none = { 0, 0, 0, 0 };
    int count = generate(p, moves, 0);
    for (int i = 0; i < count; i++) {
        Position next = *p;
        if (play(&next, moves[i])) return moves[i];
    }
    return none;
}

static long long value_of(const char *line, const char *name) {
    const char *at = strstr(line, name);
    return at ? atoll(at + strlen(name)) : 0;
}

static void go(const Position *p, const char *line) {
    long long time = value_of(line, p->side == WHITE ? "wtime " : "btime ");
    long long increment = value_of(line, p->side == WHITE ? "winc " : "binc ");
    long long budget = value_of(line, "movetime ");
    int depth = (int)value_of(line, "depth ");
    if (time) budget = time / 30 + increment / 2 < time / 2 ? time / 30 + increment / 2 : time / 2;
    node_limit = value_of(line, "nodes ");
    deadline = budget ? clock() + budget * CLOCKS_PER_SEC / 1000 : 0;
    nodes = is_stopped = 0;
    memset(history, 0, sizeof history);
    memset(killers, 0, sizeof killers);
    memset(&best_move, 0, sizeof best_move);
    /* Before the first iteration has a best move, any legal one. */
    Move chosen = first_move(p);
    int limit = depth ? depth : node_limit || deadline ? 60 : 6;
    for (int iteration = 1; iteration <= limit; iteration++) {
        int score = search(p, iteration, -MATE, MATE, 0, 0);
        if (best_move.from != best_move.to) chosen = best_move;
        if (is_stopped) break;
        char text[8];
        name_of(chosen, text);
        printf("info depth %d score cp %d nodes %lld pv %s\n", iteration, score, nodes, text);
    }
    char text[8];
    name_of(chosen, text);
    printf("bestmove %s\n", chosen.from == chosen.to ? "0000" : text);
}

int main(void) {
    static char line[1 << 16];
    Position p;
    set_position(&p, line);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!strcmp(line, "uci")) printf("id name Tunable\nid author the authors of Smalt\nuciok\n");
        else if (!strcmp(line, "isready")) printf("readyok\n");
        else if (!strncmp(line, "position ", 9)) set_position(&p, line);
        else if (!strncmp(line, "go", 2)) go(&p, line);
        else if (!strcmp(line, "trace")) trace_header();
        else if (!strncmp(line, "trace fen ", 10)) trace_position(line + 10);
        else if (!strcmp(line, "quit")) break;
        fflush(stdout);
    }
    return 0;
}
