// A graph of towns and the shortest way through it: strings, vectors, optionals, owning pointers, templates.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace geo {

struct Road {
    int to;
    int length;
};

class Town {
public:
    Town(std::string name, bool harbour) : name_(std::move(name)), harbour_(harbour) {}
    virtual ~Town() = default;
    virtual int toll() const { return 1; }
    void road(int to, int length) { roads_.push_back({to, length}); }
    const std::string &name() const { return name_; }
    const std::vector<Road> &roads() const { return roads_; }

private:
    std::string name_;
    bool harbour_;
    std::vector<Road> roads_;
};

class Capital : public Town {
public:
    Capital(std::string name, int toll) : Town(std::move(name), true), toll_(toll) {}
    int toll() const override { return toll_; }

private:
    int toll_;
};

} // namespace geo

template <typename T>
T smaller(T a, T b) {
    return b < a ? b : a;
}

using Map = std::vector<std::unique_ptr<geo::Town>>;

static std::optional<int> index_of(const Map &map, const std::string &name) {
    for (int i = 0; i < (int)map.size(); i++)
        if (map[i]->name() == name)
            return i;
    return std::nullopt;
}

__attribute__((always_inline)) static inline int cost(const geo::Road &road, const geo::Town &town) {
    int way = road.length;
    int toll = town.toll();
    return way + toll;
}

// Dijkstra's algorithm without a heap. The result has one entry for each town.
static std::vector<int> distances(const Map &map, int from) {
    const int far = 1000000;
    std::vector<int> best(map.size(), far);
    std::vector<bool> done(map.size());
    best[from] = 0;
    for (;;) {
        std::optional<int> nearest;
        for (int i = 0; i < (int)map.size(); i++)
            if (!done[i] && best[i] < far && (!nearest || best[i] < best[*nearest]))
                nearest = i;
        if (!nearest)
            return best;
        done[*nearest] = true;
        for (const geo::Road &road : map[*nearest]->roads()) {
            int total = best[*nearest] + cost(road, *map[road.to]);
            best[road.to] = smaller(best[road.to], total);
        }
    }
}

int main() {
    Map map;
    map.push_back(std::make_unique<geo::Town>("Aach", false));
    map.push_back(std::make_unique<geo::Capital>("Bern with a name that is too long to be short", 4));
    map.push_back(std::make_unique<geo::Town>("Chur", false));
    map[0]->road(1, 10);
    map[0]->road(2, 3);
    map[2]->road(1, 5);

    std::string title = "from ";
    title += map[0]->name();
    std::vector<int> ways = distances(map, 0);
    auto longest = std::max_element(ways.begin(), ways.end());
    auto twice = [&](int n) { return n * 2 + (int)title.size(); };
    std::optional<int> chur = index_of(map, "Chur");
    std::optional<int> nowhere = index_of(map, "Delft");
    double share = smaller(0.75, 1.0 * ways[*chur] / *longest);
    std::printf("%s: %d %d, longest %d, twice %d, share %.2f, %s\n", title.c_str(), ways[1], ways[2], *longest, twice(4), share, nowhere ? "there" : "nowhere");
    return 0;
}
